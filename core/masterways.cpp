// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/masterways.h"

#include "core/masterchoice.h"
#include "core/planenvironment.h"
#include "core/sharedsubnets.h"

#include <algorithm>

namespace lockstep {
namespace {

MasterWay wayTo(const NodeAddress& address, const QList<PlanNode>& nodes)
{
    MasterWay way{address, true, address.speedMbps, 0, {}};
    for (const PlanNode& node : nodes.mid(1)) {
        const Reached* tried = triedBy(node, address.text);
        if (!tried || tried->roundTripMs < 0) {
            way.all = false;
            way.without.append(
                QStringLiteral("%1 (%2)").arg(node.node.name, tried ? tried->why : QStringLiteral("not tried")));
            continue;
        }
        way.speedMbps = std::min(way.speedMbps, speedOf(node, *tried));
        way.roundTripMs = std::max(way.roundTripMs, tried->roundTripMs);
    }
    return way;
}

} // namespace

QStringList masterCandidates(const RunSpec& spec, const QList<PlanNode>& nodes)
{
    constexpr qsizetype kMost = 16; // tried at once from every node
    if (const QByteArray own = valueOf(spec.envOverride, "MASTER_ADDR"); !own.isEmpty())
        return isNumericAddress(QString::fromUtf8(own)) ? QStringList{QString::fromUtf8(own)} : QStringList();
    if (nodes.size() == 1)
        return {QStringLiteral("127.0.0.1")};
    if (nodes.isEmpty() || !nodes[0].facts)
        return {};
    QStringList candidates;
    const QList<MeasuredNode> measured = measuredAddresses(nodes);
    for (const Subnet& subnet : subnetsOf(measured)) // what all share is likeliest, and the fastest of it
        if (subnet.members.contains(0) && subnet.members.size() == measured.size())
            candidates.append(subnet.members[0].text);
    for (const MeasuredNode& one : measured)
        for (const NodeAddress& address : one.addresses)
            if (one.index == 0 && address.leftOut.isEmpty() && !candidates.contains(address.text))
                candidates.append(address.text);
    return candidates.mid(0, kMost);
}

const Reached* triedBy(const PlanNode& node, const QString& address)
{
    const auto it = std::find_if(node.reached.begin(), node.reached.end(),
                                 [&](const Reached& one) { return one.address == address; });
    return it == node.reached.end() ? nullptr : &*it;
}

int speedOf(const PlanNode& node, const Reached& tried)
{
    const NetInterface* interface = node.facts ? node.facts->interfaceWith(tried.from) : nullptr;
    return interface ? interface->speedMbps : -1;
}

QList<MasterWay> masterWays(const QList<PlanNode>& nodes, const QList<NodeAddress>& ofMaster)
{
    QList<MasterWay> ways;
    if (nodes.size() < 2 ||
        std::any_of(nodes.begin() + 1, nodes.end(), [](const PlanNode& node) { return node.reached.isEmpty(); }))
        return ways;
    for (const NodeAddress& address : ofMaster) {
        const bool tried = std::any_of(nodes.begin() + 1, nodes.end(),
                                       [&](const PlanNode& node) { return triedBy(node, address.text) != nullptr; });
        if (address.leftOut.isEmpty() && tried)
            ways.append(wayTo(address, nodes));
    }
    std::stable_sort(ways.begin(), ways.end(), [](const MasterWay& a, const MasterWay& b) {
        if (a.all != b.all)
            return a.all;
        if (a.speedMbps != b.speedMbps)
            return a.speedMbps > b.speedMbps;
        return a.address.v6 != b.address.v6 ? b.address.v6 : a.roundTripMs < b.roundTripMs;
    });
    return ways;
}

QList<ReachTry> triesOf(const PlanNode& node, const QList<MasterWay>& ways)
{
    QList<ReachTry> rows;
    for (const MasterWay& way : ways) {
        const Reached* tried = triedBy(node, way.address.text);
        if (tried && tried->roundTripMs >= 0)
            rows.append({way.address.text,
                         QStringLiteral("reached from %1, %2 ms")
                             .arg(node.node.name, QString::number(tried->roundTripMs, 'f', 2)),
                         QStringLiteral("%1, %2").arg(tried->interface, speedText(speedOf(node, *tried)))});
        else if (tried)
            rows.append({way.address.text, QStringLiteral("not reached: %1").arg(tried->why), way.address.interface});
    }
    return rows;
}

} // namespace lockstep
