// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tomldocument.h"

// Header-only and without exceptions, whatever the package's library was built with.
#undef TOML_SHARED_LIB
#undef TOML_HEADER_ONLY
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
// 3.3 asserts on bytes that a file may hold ("{\n" where a key belongs); without that it says what is wrong.
#define TOML_ASSERT(expr) static_assert(true)
#include <toml++/toml.h>

#include <QObject>

#include <algorithm>

namespace lockstep {
namespace {

QByteArray bytes(std::string_view text)
{
    return {text.data(), static_cast<qsizetype>(text.size())};
}

TomlValue convert(const toml::node& node);

TomlValue convertTable(const toml::table& table)
{
    TomlValue value;
    // toml++ sorts by name; the order of the file is the order of the keys' positions.
    std::vector<std::pair<toml::source_position, TomlEntry>> found;
    for (const auto& [key, node] : table) {
        TomlValue entry = convert(node);
        if (entry.line == 0 || entry.kind == TomlValue::Kind::Array)
            entry.line = static_cast<int>(key.source().begin.line);
        found.emplace_back(key.source().begin, TomlEntry{bytes(key.str()), std::move(entry)});
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [position, entry] : found)
        value.entries.push_back(std::move(entry));
    return value;
}

TomlValue convert(const toml::node& node)
{
    TomlValue value;
    value.kind = TomlValue::Kind::Other;
    if (const auto* table = node.as_table()) {
        value = convertTable(*table);
        value.kind = TomlValue::Kind::Table;
    } else if (const auto* array = node.as_array()) {
        value.kind = TomlValue::Kind::Array;
        for (const toml::node& item : *array)
            value.items.push_back(convert(item));
    } else if (const auto* text = node.as_string()) {
        value.kind = TomlValue::Kind::Text;
        value.text = bytes(text->get());
    } else if (const auto* integer = node.as_integer()) {
        value.kind = TomlValue::Kind::Integer;
        value.integer = integer->get();
    } else if (const auto* real = node.as_floating_point()) {
        value.kind = TomlValue::Kind::Float;
        value.real = real->get();
    } else if (const auto* boolean = node.as_boolean()) {
        value.kind = TomlValue::Kind::Boolean;
        value.boolean = boolean->get();
    }
    value.line = static_cast<int>(node.source().begin.line);
    return value;
}

} // namespace

const TomlValue* TomlValue::find(const QByteArray& key) const
{
    const auto it = std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.key == key; });
    return it == entries.end() ? nullptr : &it->value;
}

const char* toString(TomlValue::Kind kind)
{
    switch (kind) {
    case TomlValue::Kind::Text:
        return "a text";
    case TomlValue::Kind::Integer:
        return "a whole number";
    case TomlValue::Kind::Float:
        return "a number";
    case TomlValue::Kind::Boolean:
        return "true or false";
    case TomlValue::Kind::Array:
        return "a list";
    case TomlValue::Kind::Table:
        return "a table";
    case TomlValue::Kind::Other:
        return "a date";
    }
    return "a value";
}

Result<TomlValue> parseToml(const QByteArray& text, const QString& origin)
{
    const toml::parse_result parsed =
        toml::parse(std::string_view(text.constData(), static_cast<std::size_t>(text.size())));
    if (!parsed) {
        const auto& error = parsed.error();
        const std::string_view what = error.description();
        return failure(ErrorCode::BadInput,
                       QStringLiteral("%1, line %2: %3")
                           .arg(origin)
                           .arg(error.source().begin.line)
                           .arg(QString::fromUtf8(what.data(), static_cast<qsizetype>(what.size()))));
    }
    return convertTable(parsed.table());
}

} // namespace lockstep
