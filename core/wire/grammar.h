// SPDX-License-Identifier: GPL-3.0-or-later
// Which bytes may stand in a kind and in a key (record.h), as tables.
#pragma once

#include <array>
#include <string_view>

namespace lockstep::wire {

constexpr std::array<bool, 256> bytesOf(std::string_view set)
{
    std::array<bool, 256> table{};
    for (const char c : set)
        table[static_cast<unsigned char>(c)] = true;
    return table;
}

inline constexpr std::array<bool, 256> kKindBytes = bytesOf("abcdefghijklmnopqrstuvwxyz0123456789_");
inline constexpr std::array<bool, 256> kKeyBytes =
    bytesOf("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:-");

} // namespace lockstep::wire
