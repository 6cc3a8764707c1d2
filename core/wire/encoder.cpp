// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/wire/encoder.h"

#include "core/wire/escape.h"
#include "core/wire/grammar.h"
#include "core/wire/utf8.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <limits>

namespace lockstep::wire {

namespace {

constexpr std::size_t kNumberBytes =
    32; // the longest number is 24 bytes; a value up to this is dropped whole, never cut
constexpr std::size_t kCutFieldBytes = 26; // " cut=" and 20 digits, and the newline

struct Span {
    std::size_t start = 0;
    std::size_t bytes = 0;
};

// The longest value of the record that begins at `start`.
Span longestValue(const std::string& out, std::size_t start)
{
    Span longest{out.size(), 0};
    for (std::size_t at = out.find('=', start); at != std::string::npos; at = out.find('=', at)) {
        const std::size_t value = at + 1;
        const std::size_t end = std::min(out.find(' ', value), out.size());
        if (end - value > longest.bytes)
            longest = {value, end - value};
        at = end;
    }
    return longest;
}

// Bytes of `value` up to `limit` that end neither inside an escape nor inside a UTF-8 sequence.
std::size_t cutLength(std::string_view value, std::size_t limit)
{
    std::size_t at = 0;
    while (at < value.size()) {
        std::size_t width = std::max<std::size_t>(utf8SequenceLength(value.substr(at)), 1);
        if (value[at] == '\\' && at + 1 < value.size())
            width = value[at + 1] == 'x' ? 4 : 2;
        if (at + width > limit)
            break;
        at += width;
    }
    return at;
}

// Makes the record fit with its `cut=`; returns the bytes (unescaped) that it lost.
std::size_t cutToFit(std::string& out, std::size_t start)
{
    const std::size_t limit = kMaxRecordBytes - kCutFieldBytes;
    std::size_t removed = 0;
    while (out.size() - start > limit) {
        const std::size_t excess = out.size() - start - limit;
        const Span value = longestValue(out, start);
        if (value.bytes > kNumberBytes) {
            const std::string_view text = std::string_view(out).substr(value.start, value.bytes);
            const std::size_t kept = cutLength(text, value.bytes - std::min(value.bytes, excess));
            removed += unescaped(text.substr(kept)).value_or(std::string()).size();
            out.erase(value.start + kept, value.bytes - kept);
        } else {
            const std::size_t last = out.rfind(' ');
            removed += out.size() - last;
            out.resize(last);
        }
    }
    return removed;
}

} // namespace

Encoder& Encoder::begin(std::string_view kind, int rank, std::int64_t timeUs)
{
    assert(!kind.empty() && kind.size() <= kMaxKindBytes);
    m_start = m_out.size();
    m_out.append(kind);
    m_out.push_back(' ');
    if (rank < 0)
        m_out.push_back('-');
    else
        number(rank);
    m_out.push_back(' ');
    number(timeUs);
    return *this;
}

Encoder& Encoder::field(std::string_view key, std::string_view text)
{
    appendKey(key);
    appendEscaped(m_out, text);
    return *this;
}

Encoder& Encoder::field(std::string_view key, double value)
{
    appendKey(key);
    if (std::isnan(value)) {
        m_out.append("nan"); // one spelling; the sign of a NaN means nothing
        return *this;
    }
    char digits[kNumberBytes];
    const auto result = std::to_chars(digits, digits + sizeof digits, value);
    m_out.append(digits, result.ptr);
    return *this;
}

Encoder& Encoder::rawField(std::string_view key, std::string_view raw)
{
    appendKey(key);
    m_out.append(raw);
    return *this;
}

void Encoder::end()
{
    if (m_out.size() - m_start + 1 > kMaxRecordBytes)
        integer("cut", static_cast<std::int64_t>(cutToFit(m_out, m_start)));
    m_out.push_back('\n');
}

Encoder& Encoder::integer(std::string_view key, std::int64_t value)
{
    appendKey(key);
    number(value);
    return *this;
}

// A metric's name may come from a user's program: what a key may not hold becomes `_`.
void Encoder::appendKey(std::string_view key)
{
    m_out.push_back(' ');
    if (key.empty())
        m_out.push_back('_');
    for (const char c : key.substr(0, kMaxKeyBytes))
        m_out.push_back(kKeyBytes[static_cast<unsigned char>(c)] ? c : '_');
    m_out.push_back('=');
}

void Encoder::number(std::int64_t value)
{
    char digits[kNumberBytes];
    const auto result = std::to_chars(digits, digits + sizeof digits, value);
    m_out.append(digits, result.ptr);
}

} // namespace lockstep::wire
