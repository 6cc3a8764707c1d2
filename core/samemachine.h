// SPDX-License-Identifier: GPL-3.0-or-later
// Whether two nodes of the inventory are one machine. What a node is called says nothing: its resolved endpoint and its
// host key do. Two ports of one address are two nodes (containers behind a gateway); one host key at two addresses is
// one machine only where its boot and its own name are the same too (copies of a disk image share their keys).
#pragma once

#include "core/nodestate.h"

namespace lockstep {

struct MachineIdentity { // what is not known is empty, and proves nothing
    bool local = false;
    QString endpoint;
    QString fingerprint;
    QString bootId;
    QString hostName;
};

[[nodiscard]] MachineIdentity identityOf(const Node& node, const std::optional<NodeFacts>& facts,
                                         const std::optional<HostKey>& key);
[[nodiscard]] bool isSameMachine(const MachineIdentity& a, const MachineIdentity& b);

// The name of a node before this one in the list that is the same machine; empty: none is known to be.
[[nodiscard]] QString twinOf(const NodeState& state, const QList<NodeState>& nodes);

} // namespace lockstep
