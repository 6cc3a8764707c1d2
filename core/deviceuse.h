// SPDX-License-Identifier: GPL-3.0-or-later
// What speaks against what the ranks would use of a node: a device that is broken, cut up or held by somebody, a CPU on
// which other runs train. Pure.
#pragma once

#include "core/launchplan.h"

namespace lockstep {

// `devices`: some of the node's, which was probed.
[[nodiscard]] QList<Problem> deviceProblems(const RunSpec& spec, const PlanNode& node,
                                            const QList<DeviceFacts>& devices);
[[nodiscard]] QList<Problem> cpuProblems(const PlanNode& node);

} // namespace lockstep
