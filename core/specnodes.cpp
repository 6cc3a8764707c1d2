// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/specnodes.h"

namespace lockstep {

Result<QList<Node>> nodesFor(const RunSpec& spec, const Inventory& inventory)
{
    if (!spec.nodes.isEmpty())
        return inventory.select(spec.nodes);
    for (const auto& node : inventory.nodes)
        if (node.local)
            return QList<Node>{node};
    // Taken out of the inventory by its owner: a spec without nodes then has none.
    return failure(ErrorCode::NotFound,
                   QStringLiteral("The spec names no nodes and this machine is not in the inventory. Name some: "
                                  "nodes = \"gpu[1-2]\" in the spec, or --nodes."));
}

Node nodeFor(const PlannedNode& planned, const Inventory& inventory)
{
    if (const Node* known = inventory.find(planned.name))
        return *known;
    Node node;
    node.name = planned.name;
    node.local = planned.local;
    if (const auto address = Address::parse(planned.address))
        node.address = *address;
    return node;
}

} // namespace lockstep
