// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/samemachine.h"

namespace lockstep {
namespace {

bool isSame(const QString& a, const QString& b)
{
    return !a.isEmpty() && a == b;
}

// "10.0.0.11:22 via gate": the endpoint but for its port.
QString withoutPort(const QString& endpoint)
{
    const QString place = endpoint.section(u' ', 0, 0);
    return place.left(place.lastIndexOf(u':')) + endpoint.mid(place.size());
}

} // namespace

MachineIdentity identityOf(const Node& node, const std::optional<NodeFacts>& facts, const std::optional<HostKey>& key)
{
    return {node.local, key ? key->endpoint : QString(), key ? key->fingerprint : QString(),
            facts ? facts->bootId : QString(), facts ? facts->host : QString()};
}

bool isSameMachine(const MachineIdentity& a, const MachineIdentity& b)
{
    if (a.local && b.local)
        return true;
    const bool sameSystem = isSame(a.bootId, b.bootId) && isSame(a.hostName, b.hostName);
    if (a.local || b.local)
        return sameSystem;
    if (!isSame(a.fingerprint, b.fingerprint))
        return false;
    if (isSame(a.endpoint, b.endpoint))
        return true;
    return sameSystem && !isSame(withoutPort(a.endpoint), withoutPort(b.endpoint));
}

QString twinOf(const NodeState& state, const QList<NodeState>& nodes)
{
    const MachineIdentity own = identityOf(state.node, state.facts, state.hostKey);
    for (const NodeState& other : nodes) {
        if (other.node.name == state.node.name)
            break;
        if (isSameMachine(own, identityOf(other.node, other.facts, other.hostKey)))
            return other.node.name;
    }
    return {};
}

} // namespace lockstep
