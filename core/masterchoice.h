// SPDX-License-Identifier: GPL-3.0-or-later
// Which address of the first node the others reach, and by which interface on each node. Pure.
//
// One node alone: 127.0.0.1 and its loopback interface. Several: an address of the subnet that all share, by the
// fastest link, or, once the nodes have tried them, the fastest that all have reached; never loopback, link-local, a
// container's or virtual machine's bridge, a link that is down, or an address that several nodes have.
#pragma once

#include "core/launchplan.h"

namespace lockstep {

struct InterfaceChoice {
    Sourced interface;     // value empty: not known
    QList<ReachTry> reach; // what was left out on this node and why
};

struct MasterChoice {
    Sourced address; // value empty: not known yet
    QList<InterfaceChoice> nodes;
    QList<Problem> problems;
};

[[nodiscard]] MasterChoice chooseMaster(const QList<PlanNode>& nodes);

[[nodiscard]] QString speedText(int mbps); // "100 Gb/s"; "speed unknown"

} // namespace lockstep
