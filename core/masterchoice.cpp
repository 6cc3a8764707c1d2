// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/masterchoice.h"

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
        checkInterfaces();
        tellLeftOut();
        if (m_nodes[0].facts)
            fromSubnets();
        else
            fromInventory();
        return m_choice;
    }

private:
    void problem(Severity severity, int node, const QString& title, const QString& detail)
    {
        m_choice.problems.append({severity, m_nodes[node].node.name, title, detail});
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

    void checkInterfaces()
    {
        for (const Measured& one : std::as_const(m_measured)) {
            const QString& wanted = m_nodes[one.index].node.interface;
            const bool there = std::any_of(one.addresses.begin(), one.addresses.end(),
                                           [&](const NodeAddress& address) { return address.interface == wanted; });
            if (!wanted.isEmpty() && !there)
                problem(Severity::Error, one.index,
                        QStringLiteral("%1 has no interface %2").arg(m_nodes[one.index].node.name, wanted),
                        QStringLiteral("The inventory names it; its interfaces with addresses are %1.")
                            .arg(interfaceNames(one)));
        }
    }

    [[nodiscard]] static QString interfaceNames(const Measured& one)
    {
        QStringList names;
        for (const NodeAddress& address : one.addresses) {
            if (!names.contains(address.interface))
                names.append(address.interface);
        }
        return names.isEmpty() ? QStringLiteral("none") : names.join(QLatin1String(", "));
    }

    void tellLeftOut()
    {
        for (const Measured& one : std::as_const(m_measured)) {
            for (const NodeAddress& address : one.addresses) {
                if (!address.leftOut.isEmpty())
                    m_choice.nodes[one.index].reach.append(
                        {address.text, address.leftOut, address.interface + QStringLiteral(", skipped")});
            }
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
            for (const Measured& one : std::as_const(m_measured)) {
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

    // No subnet holds all: routers may still connect them (a subnet a rack, /32 in clouds). The launcher's check will
    // tell.
    void routed(bool allMeasured)
    {
        const NodeAddress* master = fastest(0, false);
        if (!master) {
            problem(Severity::Error, 0,
                    QStringLiteral("%1 has no address that another node could reach").arg(m_nodes[0].node.name),
                    QStringLiteral("All its addresses were left out; the reasons stand in the table. Choose another "
                                   "first node, or set its interface in the inventory."));
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
        for (const Measured& one : std::as_const(m_measured)) {
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
        for (const Measured& one : m_measured) {
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
        for (const Measured& one : std::as_const(m_measured)) {
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
    QList<Measured> m_measured;
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
