// SPDX-License-Identifier: GPL-3.0-or-later
// Values on a record line. Space, newline, tab, carriage return and backslash are written \s \n \t \r \\ ; every other
// control byte (< 0x20, 0x7f) and every byte that is not part of valid UTF-8 is written \xHH. All else stands as it is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lockstep::wire {

void appendEscaped(std::string& out, std::string_view bytes);
[[nodiscard]] std::optional<std::string> unescaped(std::string_view text); // nullopt: not an escaped form

} // namespace lockstep::wire
