// SPDX-License-Identifier: GPL-3.0-or-later
// What a verb says: whole records, written with blocking calls.
#pragma once

#include "remote/agent/outcome.h"

#include <string_view>

namespace lockstep::agent {

// All of `bytes`, whether the descriptor blocks or not; false: the reader is gone.
bool writeAll(int fd, std::string_view bytes);

// Writes `error - T code= text=` and returns the verb's exit code.
[[nodiscard]] int answerFailure(int fd, const Failure& failure);

} // namespace lockstep::agent
