// SPDX-License-Identifier: GPL-3.0-or-later
// Gloo and NCCL report a peer that is gone as exceptions of several types, some of them plain std::runtime_error; their
// text is what they have in common.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::trainer {

[[nodiscard]] bool speaksOfLostPeer(std::string_view message);
[[nodiscard]] std::string oneLine(std::string_view message); // LibTorch appends stack traces; newlines become spaces

} // namespace lockstep::trainer
