// SPDX-License-Identifier: GPL-3.0-or-later
// Where a UTF-8 sequence ends: what may be cut, and what must be escaped.
#pragma once

#include <cstddef>
#include <string_view>

namespace lockstep::wire {

// Bytes of the valid sequence that `bytes` begins with; 0: none (overlong forms, surrogates, > U+10FFFF are not valid).
[[nodiscard]] std::size_t utf8SequenceLength(std::string_view bytes);

} // namespace lockstep::wire
