// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sharedsubnets.h"

#include <QSet>

#include <algorithm>

namespace lockstep {
namespace {

// docker0 and VPNs give every machine the same address. Two accounts of one machine share theirs rightly.
void leaveOutDoubled(QList<MeasuredNode>& measured, const QList<PlanNode>& nodes)
{
    QMap<QString, QSet<QString>> machines;
    for (const MeasuredNode& one : std::as_const(measured)) {
        const NodeFacts& facts = *nodes[one.index].facts;
        const QString machine = facts.bootId.isEmpty() ? QString::number(one.index) : facts.bootId + u'/' + facts.host;
        for (const NodeAddress& address : one.addresses)
            machines[address.text].insert(machine);
    }
    for (MeasuredNode& one : measured) {
        for (NodeAddress& address : one.addresses) {
            if (address.leftOut.isEmpty() && machines[address.text].size() > 1)
                address.leftOut = QStringLiteral("several nodes have it");
        }
    }
}

void leaveOutOthersThan(const QString& wanted, MeasuredNode& one)
{
    for (NodeAddress& address : one.addresses) {
        if (!wanted.isEmpty() && address.interface != wanted && address.leftOut.isEmpty())
            address.leftOut = QStringLiteral("the inventory says %1").arg(wanted);
    }
}

} // namespace

int Subnet::speed() const
{
    int least = members.first().speedMbps;
    for (const NodeAddress& member : members)
        least = std::min(least, member.speedMbps);
    return least;
}

QList<MeasuredNode> measuredAddresses(const QList<PlanNode>& nodes)
{
    QList<MeasuredNode> measured;
    for (int i = 0; i < nodes.size(); ++i) {
        if (nodes[i].facts)
            measured.append({i, addressesOf(*nodes[i].facts)});
    }
    leaveOutDoubled(measured, nodes);
    for (MeasuredNode& one : measured)
        leaveOutOthersThan(nodes[one.index].node.interface, one);
    return measured;
}

QList<Subnet> subnetsOf(const QList<MeasuredNode>& measured)
{
    QList<Subnet> subnets;
    for (const MeasuredNode& one : std::as_const(measured)) {
        for (const NodeAddress& address : one.addresses) {
            if (!address.leftOut.isEmpty())
                continue;
            const QString name = address.subnet();
            auto it =
                std::find_if(subnets.begin(), subnets.end(), [&](const Subnet& subnet) { return subnet.name == name; });
            if (it == subnets.end()) {
                subnets.append({name, {}});
                it = subnets.end() - 1;
            }
            if (!it->members.contains(one.index) || it->members[one.index].speedMbps < address.speedMbps)
                it->members[one.index] = address;
        }
    }
    // The fastest first, IPv4 before IPv6 where equal, else the order of the facts.
    std::stable_sort(subnets.begin(), subnets.end(), [](const Subnet& a, const Subnet& b) {
        return a.speed() != b.speed() ? a.speed() > b.speed() : !a.members.first().v6 && b.members.first().v6;
    });
    return subnets;
}

QList<ReachTry> leftOutOf(const MeasuredNode& measured)
{
    QList<ReachTry> rows;
    for (const NodeAddress& address : measured.addresses)
        if (!address.leftOut.isEmpty())
            rows.append({address.text, address.leftOut, address.interface + QStringLiteral(", skipped")});
    return rows;
}

std::optional<Problem> missingInterface(const Node& node, const MeasuredNode& measured)
{
    QStringList names;
    for (const NodeAddress& address : measured.addresses)
        if (!names.contains(address.interface))
            names.append(address.interface);
    if (node.interface.isEmpty() || names.contains(node.interface))
        return std::nullopt;
    return Problem{Severity::Error, node.name, QStringLiteral("%1 has no interface %2").arg(node.name, node.interface),
                   QStringLiteral("The inventory names it; its interfaces with addresses are %1.")
                       .arg(names.isEmpty() ? QStringLiteral("none") : names.join(QLatin1String(", ")))};
}

} // namespace lockstep
