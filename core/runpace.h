// SPDX-License-Identifier: GPL-3.0-or-later
// How fast a run goes, out of its newest points. Pure.
#pragma once

#include "core/rundata.h"

namespace lockstep {

inline constexpr double kPaceWindowS = 10;

[[nodiscard]] double samplesPerSecondOf(const RunData& run); // of all ranks, NaN: unknown
[[nodiscard]] double waitFractionOf(const RunData& run);     // NaN: unknown
[[nodiscard]] double meanLossOf(const RunData& run);         // the ranks' newest; NaN: unknown, or one is NaN
[[nodiscard]] double etaSecondsOf(const RunData& run);       // NaN: unknown

} // namespace lockstep
