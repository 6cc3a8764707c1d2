// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/masterchoice.h"

#include "core/masterways.h"
#include "core/sharedsubnets.h"

#include <algorithm>

namespace lockstep {
namespace {

const QString kNotMeasured = QStringLiteral("not measured yet");

class Chooser {
public:
    explicit Chooser(const QList<PlanNode>& nodes) : m_nodes(nodes) { m_choice.nodes.resize(nodes.size()); }

    MasterChoice choose()
    {
        if (m_nodes.size() == 1) {
            alone();
            return m_choice;
        }
        for (int i = 0; i < m_nodes.size(); ++i) {
            if (!m_nodes[i].facts)
                m_choice.nodes[i].interface = {m_nodes[i].node.interface, m_nodes[i].node.interface.isEmpty()
                                                                              ? kNotMeasured
                                                                              : QStringLiteral("set in the inventory")};
        }
        m_measured = measuredAddresses(m_nodes);
        m_subnets = subnetsOf(m_measured);
        checkAddresses();
        if (!m_nodes[0].facts)
            fromInventory();
        else if (const QList<MasterWay> ways = masterWays(m_nodes, addressesOfMaster()); !ways.isEmpty())
            fromTries(ways);
        else
            fromSubnets();
        return m_choice;
    }

private:
    void problem(Severity severity, int node, const QString& title, const QString& detail)
    {
        m_choice.problems.append({severity, m_nodes[node].node.name, title, detail});
    }

    [[nodiscard]] QList<NodeAddress> addressesOfMaster() const
    {
        return !m_measured.isEmpty() && m_measured.first().index == 0 ? m_measured.first().addresses
                                                                      : QList<NodeAddress>();
    }

    void alone()
    {
        QString loopback = QStringLiteral("lo");
        if (m_nodes[0].facts) {
            for (const NetInterface& interface : m_nodes[0].facts->interfaces) {
                if (interface.loopback)
                    loopback = interface.name;
            }
        }
        m_choice.address = {QStringLiteral("127.0.0.1"),
                            QStringLiteral("one node takes part: its ranks meet over loopback")};
        m_choice.nodes[0].interface = {loopback, QStringLiteral("loopback, one node takes part")};
    }

    // What stands against interfaces and addresses by the facts alone.
    void checkAddresses()
    {
        for (const MeasuredNode& one : std::as_const(m_measured)) {
            if (const auto missing = missingInterface(m_nodes[one.index].node, one))
                m_choice.problems.append(*missing);
            m_choice.nodes[one.index].reach += leftOutOf(one);
        }
    }

    void fromSubnets()
    {
        const bool all = m_measured.size() == m_nodes.size();
        const auto shared = std::find_if(m_subnets.begin(), m_subnets.end(), [&](const Subnet& subnet) {
            return subnet.members.size() == m_measured.size() && subnet.members.contains(0);
        });
        if (shared == m_subnets.end() || m_measured.size() == 1) {
            routed(all);
            return;
        }
        const qsizetype sharedByAll = std::count_if(m_subnets.begin(), m_subnets.end(), [&](const Subnet& subnet) {
            return subnet.members.size() == m_measured.size();
        });
        QString source =
            QStringLiteral("%1 subnet %2 share, %3: %4")
                .arg(sharedByAll == 1 ? QStringLiteral("the only") : QStringLiteral("the fastest"),
                     m_nodes.size() == 2 ? QStringLiteral("both") : QStringLiteral("all %1").arg(m_nodes.size()),
                     shared->name, speedText(shared->speed()));
        if (!all)
            source = QStringLiteral("in %1, as far as is known; %2 on %3")
                         .arg(shared->name, kNotMeasured, unmeasuredNames());
        m_choice.address = {shared->members[0].text, source};
        for (auto it = shared->members.begin(); it != shared->members.end(); ++it)
            useInterface(it.key(), it.value());
        tellFaster(*shared);
    }

    void useInterface(int node, const NodeAddress& address)
    {
        m_choice.nodes[node].interface = {address.interface,
                                          QStringLiteral("has %1, %2").arg(address.text, speedText(address.speedMbps))};
    }

    void tellFaster(const Subnet& chosen)
    {
        for (const Subnet& subnet : std::as_const(m_subnets)) {
            if (subnet.speed() <= chosen.speed() || subnet.members.size() < 2)
                continue;
            for (const MeasuredNode& one : std::as_const(m_measured)) {
                if (subnet.members.contains(one.index))
                    continue;
                problem(
                    Severity::Note, one.index,
                    QStringLiteral("%1 is not on %2, which is faster").arg(m_nodes[one.index].node.name, subnet.name),
                    QStringLiteral("%1 of %2 nodes share it at %3; all share only %4 at %5.")
                        .arg(subnet.members.size())
                        .arg(m_nodes.size())
                        .arg(speedText(subnet.speed()), chosen.name, speedText(chosen.speed())));
                m_choice.nodes[one.index].reach.append(
                    {subnet.name, QStringLiteral("not here"),
                     QStringLiteral("faster, %1, but %2 has no address in it")
                         .arg(speedText(subnet.speed()), m_nodes[one.index].node.name)});
            }
        }
    }

    // What is on paper counts no more.
    void fromTries(const QList<MasterWay>& ways)
    {
        for (int i = 1; i < m_nodes.size(); ++i)
            m_choice.nodes[i].reach = triesOf(m_nodes[i], ways) + m_choice.nodes[i].reach;
        const MasterWay& best = ways.first();
        if (!best.all) {
            unreached(ways);
            return;
        }
        const qsizetype reached = std::count_if(ways.begin(), ways.end(), [](const MasterWay& way) { return way.all; });
        m_choice.address = {
            best.address.text,
            QStringLiteral("%1 that %2, %3")
                .arg(reached == 1 ? QStringLiteral("the only address") : QStringLiteral("the fastest address"),
                     m_nodes.size() == 2 ? QStringLiteral("%1 reaches").arg(m_nodes[1].node.name)
                                         : QStringLiteral("all %1 others reach").arg(m_nodes.size() - 1),
                     speedText(best.speedMbps))};
        useInterface(0, best.address);
        for (int i = 1; i < m_nodes.size(); ++i)
            useTried(i, *triedBy(m_nodes[i], best.address.text));
        for (const MasterWay& way : ways)
            if (!way.all && way.speedMbps > best.speedMbps)
                problem(
                    Severity::Note, 0, QStringLiteral("%1 is faster, but not all reach it").arg(way.address.text),
                    QStringLiteral("%1 at %2; without it are %3.")
                        .arg(way.address.interface, speedText(way.speedMbps), way.without.join(QLatin1String(", "))));
        for (const Subnet& subnet : std::as_const(m_subnets))
            if (subnet.members.contains(0) && subnet.members[0].text == best.address.text)
                tellFaster(subnet);
    }

    void useTried(int node, const Reached& tried)
    {
        const QString& wanted = m_nodes[node].node.interface;
        const QString via = tried.interface.isEmpty() ? wanted : tried.interface;
        m_choice.nodes[node].interface = {
            via, QStringLiteral("has %1, %2").arg(tried.from, speedText(speedOf(m_nodes[node], tried)))};
        if (wanted.isEmpty() || wanted == via)
            return;
        m_choice.nodes[node].interface = {wanted, QStringLiteral("set in the inventory")};
        problem(Severity::Warning, node,
                QStringLiteral("%1 reaches the master over %2").arg(m_nodes[node].node.name, via),
                QStringLiteral("The inventory says %1; its ranks will be told to use that.").arg(wanted));
    }

    void unreached(const QList<MasterWay>& ways)
    {
        m_choice.address = {ways.first().address.text,
                            QStringLiteral("no address of %1 is reached by all").arg(m_nodes[0].node.name)};
        QStringList tried;
        for (const MasterWay& way : ways)
            tried.append(QStringLiteral("%1 not from %2").arg(way.address.text, way.without.join(QLatin1String(", "))));
        const QString first = ways.first().without.first().section(u' ', 0, 0);
        m_choice.problems.append(
            {Severity::Error, first, QStringLiteral("%1 cannot reach %2").arg(first, m_nodes[0].node.name),
             QStringLiteral(
                 "The ranks could not meet: %1. Open the ports between the nodes, choose another first node, "
                 "or name the interface in the inventory.")
                 .arg(tried.join(QLatin1String("; ")))});
    }

    void noAddress()
    {
        problem(Severity::Error, 0,
                QStringLiteral("%1 has no address that another node could reach").arg(m_nodes[0].node.name),
                QStringLiteral("All its addresses were left out; the reasons stand in the table. Choose another first "
                               "node, or set its interface in the inventory."));
    }

    // No subnet holds all: routers may still connect them (a subnet a rack, /32 in clouds). The launcher's check will
    // tell.
    void routed(bool allMeasured)
    {
        const NodeAddress* master = fastest(0, false);
        if (!master) {
            noAddress();
            m_choice.address = {{}, QStringLiteral("no usable address")};
            return;
        }
        m_choice.address = {
            master->text,
            allMeasured
                ? QStringLiteral(
                      "no subnet is shared by all nodes; this is the fastest link of %1, to be reached through routers")
                      .arg(m_nodes[0].node.name)
                : QStringLiteral("the fastest link of %1; %2 on %3")
                      .arg(m_nodes[0].node.name, kNotMeasured, unmeasuredNames())};
        for (const MeasuredNode& one : std::as_const(m_measured)) {
            if (const NodeAddress* address = fastest(one.index, master->v6))
                useInterface(one.index, *address);
            else
                problem(Severity::Error, one.index,
                        QStringLiteral("%1 has no address that could reach %2")
                            .arg(m_nodes[one.index].node.name, master->text),
                        QStringLiteral("All its addresses were left out; the reasons stand in the table."));
        }
        if (allMeasured)
            problem(
                Severity::Warning, 0, QStringLiteral("The nodes share no subnet"),
                QStringLiteral(
                    "MASTER_ADDR %1 works only if routers connect them. It is tried from every node before the start.")
                    .arg(master->text));
    }

    // Of one node; for the master IPv4 is preferred, for the others its family is needed.
    [[nodiscard]] const NodeAddress* fastest(int node, bool v6) const
    {
        const NodeAddress* best = nullptr;
        for (const MeasuredNode& one : m_measured) {
            if (one.index != node)
                continue;
            for (const NodeAddress& address : one.addresses) {
                if (!address.leftOut.isEmpty() || (node != 0 && address.v6 != v6))
                    continue;
                if (!best || (best->v6 && !address.v6) ||
                    (best->v6 == address.v6 && address.speedMbps > best->speedMbps))
                    best = &address;
            }
        }
        return best;
    }

    void fromInventory()
    {
        const QString& host = m_nodes[0].node.address.host;
        if (!m_nodes[0].node.local && isNumericAddress(host) && !isLoopbackAddress(host))
            m_choice.address = {host, QStringLiteral("the address in the inventory; ") + kNotMeasured};
        else
            m_choice.address = {{}, kNotMeasured};
        for (const MeasuredNode& one : std::as_const(m_measured)) {
            if (const NodeAddress* address = fastest(one.index, false))
                useInterface(one.index, *address);
        }
    }

    [[nodiscard]] QString unmeasuredNames() const
    {
        QStringList names;
        for (const PlanNode& node : m_nodes) {
            if (!node.facts)
                names.append(node.node.name);
        }
        return names.join(QLatin1String(", "));
    }

    const QList<PlanNode>& m_nodes;
    QList<MeasuredNode> m_measured;
    QList<Subnet> m_subnets;
    MasterChoice m_choice;
};

} // namespace

QString speedText(int mbps)
{
    if (mbps < 0)
        return QStringLiteral("speed unknown");
    return mbps >= 1000 ? QStringLiteral("%1 Gb/s").arg(mbps / 1000.0) : QStringLiteral("%1 Mb/s").arg(mbps);
}

MasterChoice chooseMaster(const QList<PlanNode>& nodes)
{
    return nodes.isEmpty() ? MasterChoice() : Chooser(nodes).choose();
}

} // namespace lockstep
