// SPDX-License-Identifier: GPL-3.0-or-later
// What speaks against a plan beside its ranks and its master. Pure; each check returns what it found.
#pragma once

#include "core/launchplan.h"

namespace lockstep {

// Which variables of the desktop reach no rank, which do, and which of ours the spec overrides.
[[nodiscard]] QList<Problem> tellEnvironment(const LaunchPlan& plan);
[[nodiscard]] QList<Problem> checkNodes(const QList<PlanNode>& nodes); // names, none twice, no machine twice
[[nodiscard]] QList<Problem> checkSpec(const RunSpec& spec, const QList<PlanNode>& nodes);
// A port that the kernel gives to outgoing connections may be anybody's when the ranks start; an address of the spec's
// own must be reached.
[[nodiscard]] QList<Problem> checkPort(const LaunchPlan& plan, const QList<PlanNode>& nodes);
// Where jumbo frames meet a link without them, small packets pass and large ones vanish: a hang, not an error. Of a
// plan whose nodes are there.
[[nodiscard]] QList<Problem> checkMtu(const LaunchPlan& plan, const QList<PlanNode>& nodes);

} // namespace lockstep
