// SPDX-License-Identifier: GPL-3.0-or-later
// A question that may never be answered (a sick driver, a name server that is gone), asked in a forked child with a
// deadline.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace lockstep::agent {

// What `ask` writes to its descriptor, at most 1 MiB; nullopt: no answer in time, the child is killed (one that is
// stuck in a driver is left to init). The child's stdout and stderr lead nowhere.
[[nodiscard]] std::optional<std::string> answerInTime(const std::function<void(int fd)>& ask,
                                                      std::chrono::milliseconds deadline);

} // namespace lockstep::agent
