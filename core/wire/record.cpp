// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/wire/record.h"

#include "core/wire/escape.h"

#include <charconv>

namespace lockstep::wire {

namespace {

template <typename T>
std::optional<T> parsed(std::string_view raw)
{
    T value{};
    const auto result = std::from_chars(raw.data(), raw.data() + raw.size(), value);
    if (result.ec != std::errc{} || result.ptr != raw.data() + raw.size())
        return std::nullopt;
    return value;
}

} // namespace

std::string Field::text() const
{
    // What is not an escaped form comes from a program that does not know the format: better shown raw than lost.
    if (raw.find('\\') == std::string_view::npos)
        return std::string(raw);
    return unescaped(raw).value_or(std::string(raw));
}

std::optional<double> Field::number() const
{
    return parsed<double>(raw);
}

std::optional<std::int64_t> Field::integer() const
{
    return parsed<std::int64_t>(raw);
}

const Field* RecordView::find(std::string_view key) const
{
    if (fields == nullptr)
        return nullptr;
    for (auto field = fields->rbegin(); field != fields->rend(); ++field) {
        if (field->key == key)
            return &*field;
    }
    return nullptr;
}

std::string RecordView::text(std::string_view key) const
{
    const Field* field = find(key);
    return field != nullptr ? field->text() : std::string();
}

std::optional<double> RecordView::number(std::string_view key) const
{
    const Field* field = find(key);
    return field != nullptr ? field->number() : std::nullopt;
}

std::optional<std::int64_t> RecordView::integer(std::string_view key) const
{
    const Field* field = find(key);
    return field != nullptr ? field->integer() : std::nullopt;
}

} // namespace lockstep::wire
