// SPDX-License-Identifier: GPL-3.0-or-later
// How an Error of a node is shown: its phase and its sentence. And one check of a node, for the command line.
#pragma once

#include "core/nodestate.h"
#include "remote/nodelink.h"

namespace lockstep {

[[nodiscard]] NodePhase phaseOf(ErrorCode code);
[[nodiscard]] QString sentenceOf(const Error& error, qint64 sinceWallUs);

// Takes over what was probed: facts, clock, round trip, what is deployed.
void showProbed(NodeState& state, const NodeLink& link, const Probed& probed);

// Connect, put the agent in place, probe; what went wrong is in the state. Worker thread.
[[nodiscard]] NodeState checkNode(const RunParts& parts, const Node& node, std::stop_token stop);

} // namespace lockstep
