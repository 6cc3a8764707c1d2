// SPDX-License-Identifier: GPL-3.0-or-later
// The nodes' usable addresses, and the subnets they make. Pure.
#pragma once

#include "core/launchplan.h"
#include "core/nodeaddress.h"

#include <QMap>

namespace lockstep {

struct MeasuredNode {             // a node whose facts are known
    int index = 0;                // into the plan's nodes
    QList<NodeAddress> addresses; // all of them; what can't be used says why
};

struct Subnet {
    QString name;
    QMap<int, NodeAddress> members;  // by node; the fastest of a node
    [[nodiscard]] int speed() const; // Mb/s of its slowest member; -1: unknown
};

[[nodiscard]] QList<MeasuredNode> measuredAddresses(const QList<PlanNode>& nodes);
[[nodiscard]] QList<ReachTry> leftOutOf(const MeasuredNode& measured); // addresses, with the reasons
// Of the interface that the inventory names and the node has not.
[[nodiscard]] std::optional<Problem> missingInterface(const Node& node, const MeasuredNode& measured);
// The fastest first, IPv4 before IPv6 where equal, else the order of the facts.
[[nodiscard]] QList<Subnet> subnetsOf(const QList<MeasuredNode>& measured);

} // namespace lockstep
