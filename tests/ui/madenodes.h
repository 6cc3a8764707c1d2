// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes and runs made up for tests and pictures: the data of the target pictures (8 × H100, alice, rack3).
#pragma once

#include "core/nodestate.h"
#include "core/runlist.h"

namespace lockstep::made {

[[nodiscard]] NodeState thisMachine();
[[nodiscard]] NodeState gpuNode(int number);                 // gpu1 …, 8 × H100, ready
[[nodiscard]] NodeState asking(int number, NodePhase phase); // with host key where the phase is about one
[[nodiscard]] QList<NodeState> firstStart();
[[nodiscard]] QList<NodeState> cluster(); // this machine, gpu1 to gpu7 in every state
void fill(NodeList& list, const QList<NodeState>& states);

[[nodiscard]] QList<RunSummary> runs(); // 12, newest first; the first is live
[[nodiscard]] RunSpec spec(double lr, int seed);

} // namespace lockstep::made
