// SPDX-License-Identifier: GPL-3.0-or-later
// Writes records to the end of a string. A record that would pass kMaxRecordBytes loses nothing silently: end() cuts
// the longest text value to fit and adds `cut=<unescaped bytes removed>`. Bytes that a key may not hold become `_`.
// Doubles are written in their shortest exact form; nan, inf, -inf.
#pragma once

#include "core/wire/record.h"

#include <concepts>
#include <string>
#include <string_view>

namespace lockstep::wire {

class Encoder {
public:
    explicit Encoder(std::string& out) : m_out(out) {}

    Encoder& begin(std::string_view kind, int rank, std::int64_t timeUs);
    Encoder& field(std::string_view key, std::string_view text);
    Encoder& field(std::string_view key, const char* text) { return field(key, std::string_view(text)); }
    Encoder& field(std::string_view key, double value);
    Encoder& rawField(std::string_view key, std::string_view raw); // a decoded Field, passed on as it stood
    template <std::integral T>
    Encoder& field(std::string_view key, T value)
    {
        return integer(key, static_cast<std::int64_t>(value));
    }
    void end();

private:
    Encoder& integer(std::string_view key, std::int64_t value);
    void appendKey(std::string_view key);
    void number(std::int64_t value);

    std::string& m_out;
    std::size_t m_start = 0; // of the record being written
};

} // namespace lockstep::wire
