// SPDX-License-Identifier: GPL-3.0-or-later
// The master's addresses as the other nodes have tried them. Pure.
#pragma once

#include "core/launchplan.h"
#include "core/nodeaddress.h"

namespace lockstep {

struct MasterWay { // to one of the master's addresses, from all nodes
    NodeAddress address;
    bool all = true;        // reached by every node
    int speedMbps = -1;     // of the slowest link on it; -1: one is unknown
    double roundTripMs = 0; // the longest
    QStringList without;    // nodes that did not reach it, and why: "gpu2 (timed out)"
};

// What every node has tried, the best first: reached by all, then fast, then IPv4, then near. Empty: not all have
// tried.
[[nodiscard]] QList<MasterWay> masterWays(const QList<PlanNode>& nodes, const QList<NodeAddress>& ofMaster);
[[nodiscard]] const Reached* triedBy(const PlanNode& node, const QString& address); // null: it did not try
[[nodiscard]] int speedOf(const PlanNode& node, const Reached& tried); // of the node's own link; -1: unknown
// One row a way, for the node's table.
[[nodiscard]] QList<ReachTry> triesOf(const PlanNode& node, const QList<MasterWay>& ways);

} // namespace lockstep
