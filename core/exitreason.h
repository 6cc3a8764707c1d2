// SPDX-License-Identifier: GPL-3.0-or-later
// How a process ended, in words and as a code.
#pragma once

#include <QString>

namespace lockstep {

inline constexpr int kLostPeerCode = 7; // lockstep-trainer: a peer is gone

[[nodiscard]] QString signalName(int signal); // SIGKILL; "signal 77"
[[nodiscard]] QString exitReason(int code, int signal,
                                 const QString& said); // "killed by SIGKILL", "exit code 3: loss is NaN"
[[nodiscard]] int exitCodeOf(int code, int signal);    // 128 + signal, as shells say it

} // namespace lockstep
