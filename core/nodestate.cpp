// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nodestate.h"

#include <algorithm>

namespace lockstep {

const NodeState* NodeList::find(const QString& name) const
{
    const auto it =
        std::find_if(m_nodes.begin(), m_nodes.end(), [&](const NodeState& state) { return state.node.name == name; });
    return it == m_nodes.end() ? nullptr : &*it;
}

void NodeList::setInventory(const Inventory& inventory)
{
    QList<NodeState> nodes;
    for (const Node& node : inventory.nodes) {
        NodeState state;
        // Another address is another machine: nothing that was known holds.
        const NodeState* known = find(node.name);
        if (known && known->node.address == node.address && known->node.local == node.local &&
            known->node.jump == node.jump)
            state = *known;
        state.node = node;
        nodes.append(state);
    }
    m_nodes = nodes;
    m_groups = inventory.groups;
    emit reset();
}

void NodeList::update(const NodeState& state)
{
    for (int i = 0; i < m_nodes.size(); ++i) {
        if (m_nodes[i].node.name != state.node.name)
            continue;
        NodeState next = state;
        next.node = m_nodes[i].node; // the inventory's word holds, however old the state's copy is
        if (next != m_nodes[i]) {
            m_nodes[i] = next;
            emit nodeChanged(i);
        }
        return;
    }
}

} // namespace lockstep
