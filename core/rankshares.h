// SPDX-License-Identifier: GPL-3.0-or-later
// How many ranks each node gets, on which devices, over which backend. Pure.
#pragma once

#include "core/launchplan.h"

namespace lockstep {

struct NodeShare {
    int ranks = 0;
    QString source;             // "8 devices", "2 slots", "ranks_per_node = 2", "not measured yet"
    QList<DeviceFacts> devices; // those its ranks use, in local rank order, each for ranksPerDevice; empty: the CPU
    int idleDevices = 0;
};

struct RankShares {
    Backend backend = Backend::Gloo; // never Auto
    QString backendSource;
    int ranksPerDevice = 1;
    QList<NodeShare> nodes;
    QList<Problem> problems;
};

[[nodiscard]] RankShares shareRanks(const RunSpec& spec, const QList<PlanNode>& nodes);

} // namespace lockstep
