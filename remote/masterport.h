// SPDX-License-Identifier: GPL-3.0-or-later
// The port of the plan: held on the master for a few seconds while every other node tries to reach it, then let go. So
// a firewall, a wrong address or a taken port is a sentence before the launch instead of a hang after it.
#pragma once

#include "core/launchplan.h"
#include "remote/nodelink.h"

#include <vector>

namespace lockstep {

// Asks `links[0]`, the master, for plan.masterPort (0: any free one) on plan.masterAddr, lets all others connect, and
// writes port and round trips into the plan. An Error names the node that could not, or the port that is taken.
[[nodiscard]] Result<void> settleMasterPort(LaunchPlan& plan, const std::vector<NodeLink>& links, std::stop_token stop);

} // namespace lockstep
