// SPDX-License-Identifier: GPL-3.0-or-later
// What the facts of nodes say against a launch, or should be known of them: clocks, login manager, adapters, limits,
// names, shared homes. Pure; for the plan and for `lockstep doctor`.
#pragma once

#include "core/launchplan.h"

namespace lockstep {

// The trainer compares the ranks' clocks when it starts and refuses more than this (trainer/startcheck.h).
inline constexpr double kMostClockDifferenceMs = 5000;
inline constexpr double kClockWarningMs = 100;

[[nodiscard]] QList<Problem> healthOf(const PlanNode& node);         // of one
[[nodiscard]] QList<Problem> healthOf(const QList<PlanNode>& nodes); // of all together: clocks, homes
[[nodiscard]] QString signedMs(double ms);                           // "+0.42 ms", "−3.6 s"
[[nodiscard]] Sourced clockText(const PlanNode& node);               // "+0.42 ms", "± 0.05 ms against this machine"

} // namespace lockstep
