// SPDX-License-Identifier: GPL-3.0-or-later
// What a new plan, another attempt or a fresh reading of the spools begins with. Pure.
#pragma once

#include "core/runstate.h"

namespace lockstep {

[[nodiscard]] inline RunState restarted(const RunState& old, const LaunchPlan& plan)
{
    RunState state = stateOf(plan);
    state.id = old.id;
    state.number = old.number;
    state.name = old.name;
    state.phase = old.phase;
    state.reason = old.reason;
    state.attempt = old.attempt;
    state.stopRequested = old.stopRequested;
    state.createdWallUs = old.createdWallUs;
    state.startedWallUs = old.startedWallUs;
    for (NodeRunState& node : state.nodes)
        for (const NodeRunState& before : old.nodes)
            if (before.name == node.name)
                node.clockOffsetUs = before.clockOffsetUs;
    return state;
}

} // namespace lockstep
