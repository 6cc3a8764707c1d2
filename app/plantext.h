// SPDX-License-Identifier: GPL-3.0-or-later
// A plan in a terminal: every value, and where it comes from below it.
#pragma once

#include "core/launchplan.h"

namespace lockstep {

[[nodiscard]] QString planTable(const LaunchPlan& plan); // the rows, and the ways that were tried
[[nodiscard]] QString problemText(const QList<Problem>& problems);
[[nodiscard]] QString problemLine(const Problem& problem); // "warning: gpu1 also runs x. It holds …"
[[nodiscard]] QString deviceText(const NodeFacts& facts);  // "8 × NVIDIA H100", "CPU, 16 cores"

} // namespace lockstep
