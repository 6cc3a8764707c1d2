// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rankshares.h"

#include <algorithm>
#include <numeric>

namespace lockstep {
namespace {

class Sharer {
public:
    Sharer(const RunSpec& spec, const QList<PlanNode>& nodes) : m_spec(spec), m_nodes(nodes) {}

    RankShares share()
    {
        chooseDevices();
        chooseBackend();
        for (int i = 0; i < m_nodes.size(); ++i)
            m_shares.nodes.append(m_spec.ranksPerNode > 0 ? asked(i) : natural(i));
        if (m_spec.totalRanks > 0)
            fitTotal();
        for (int i = 0; i < m_nodes.size(); ++i)
            useDevices(i);
        tellIdle();
        return m_shares;
    }

private:
    void problem(Severity severity, int node, const QString& title, const QString& detail)
    {
        m_shares.problems.append({severity, node < 0 ? QString() : m_nodes[node].node.name, title, detail});
    }

    void chooseDevices() // the inventory's choice, or all
    {
        for (int i = 0; i < m_nodes.size(); ++i) {
            QList<DeviceFacts> devices;
            const PlanNode& node = m_nodes[i];
            if (node.facts && node.node.devices.isEmpty())
                devices = node.facts->devices;
            if (node.facts) {
                for (const int wanted : node.node.devices) {
                    const auto& known = node.facts->devices;
                    const auto it = std::find_if(known.begin(), known.end(),
                                                 [&](const DeviceFacts& device) { return device.index == wanted; });
                    if (it != known.end())
                        devices.append(*it);
                    else
                        problem(Severity::Error, i,
                                QStringLiteral("%1 has no device %2").arg(node.node.name).arg(wanted),
                                QStringLiteral("The inventory names it; the node has %1 devices.").arg(known.size()));
                }
            }
            m_devices.append(devices);
        }
    }

    void chooseBackend()
    {
        QStringList without, with;
        bool unmeasured = false;
        for (int i = 0; i < m_nodes.size(); ++i) {
            if (!m_nodes[i].facts)
                unmeasured = true;
            else
                (m_devices[i].isEmpty() ? without : with).append(m_nodes[i].node.name);
        }
        if (m_spec.backend != Backend::Auto) {
            m_shares.backend = m_spec.backend;
            m_shares.backendSource = QStringLiteral("backend = \"%1\"").arg(toString(m_spec.backend));
            if (m_spec.backend == Backend::Nccl && !without.isEmpty())
                problem(
                    Severity::Error, static_cast<int>(indexOf(without.first())),
                    QStringLiteral("%1 has no GPU, and NCCL needs one a rank").arg(without.join(QLatin1String(", "))),
                    QStringLiteral("Set backend = \"gloo\" (or \"auto\"), or leave out these nodes."));
            return;
        }
        if (unmeasured && without.isEmpty() && with.isEmpty()) {
            m_shares.backendSource = QStringLiteral("not measured yet");
        } else if (without.isEmpty() && !with.isEmpty()) {
            m_shares.backend = Backend::Nccl;
            m_shares.backendSource =
                unmeasured ? QStringLiteral("auto: GPUs where measured") : QStringLiteral("auto: every node has GPUs");
        } else {
            m_shares.backendSource = with.isEmpty()
                                         ? QStringLiteral("auto: no GPU")
                                         : QStringLiteral("auto: %1 has no GPU").arg(without.join(QLatin1String(", ")));
        }
    }

    [[nodiscard]] qsizetype indexOf(const QString& name) const
    {
        for (qsizetype i = 0; i < m_nodes.size(); ++i) {
            if (m_nodes[i].node.name == name)
                return i;
        }
        return -1;
    }

    [[nodiscard]] bool onDevices() const { return m_shares.backend == Backend::Nccl; }

    [[nodiscard]] NodeShare natural(int i) const // one a device; a CPU node: its slots, else one
    {
        NodeShare share;
        const Node& node = m_nodes[i].node;
        const auto devices = static_cast<int>(m_devices[i].size());
        if (onDevices() && devices > 0) {
            share.ranks = node.slots_ > 0 ? std::min(node.slots_, devices) : devices;
            share.source = share.ranks < devices ? QStringLiteral("%1 slots").arg(node.slots_)
                                                 : QStringLiteral("%1 a node, one a device").arg(devices);
        } else if (node.slots_ > 0) {
            share.ranks = node.slots_;
            share.source = QStringLiteral("%1 slots").arg(node.slots_);
        } else if (!m_nodes[i].facts && !node.devices.isEmpty()) {
            share.ranks = static_cast<int>(node.devices.size());
            share.source = QStringLiteral("the devices in the inventory; not measured yet");
        } else {
            share.ranks = 1;
            share.source = m_nodes[i].facts ? QStringLiteral("one on the CPU") : QStringLiteral("not measured yet");
        }
        return share;
    }

    NodeShare asked(int i)
    {
        NodeShare share;
        share.ranks = m_spec.ranksPerNode;
        share.source = QStringLiteral("ranks_per_node = %1").arg(m_spec.ranksPerNode);
        const Node& node = m_nodes[i].node;
        if (node.slots_ > 0 && share.ranks > node.slots_)
            problem(
                Severity::Error, i,
                QStringLiteral("%1 has %2 slots, %3 ranks are asked").arg(node.name).arg(node.slots_).arg(share.ranks),
                QStringLiteral("Lower ranks_per_node, or raise the node's slots in the inventory."));
        return share;
    }

    void fitTotal()
    {
        const int capacity = std::accumulate(m_shares.nodes.begin(), m_shares.nodes.end(), 0,
                                             [](int sum, const NodeShare& share) { return sum + share.ranks; });
        const int wanted = m_spec.totalRanks;
        if (wanted == capacity)
            return;
        if (m_spec.ranksPerNode > 0) {
            problem(Severity::Error, -1,
                    QStringLiteral("%1 ranks in all and %2 a node on %3 nodes do not fit")
                        .arg(wanted)
                        .arg(m_spec.ranksPerNode)
                        .arg(m_nodes.size()),
                    QStringLiteral("%1 nodes with %2 ranks each are %3 ranks. Leave out one of the two.")
                        .arg(m_nodes.size())
                        .arg(m_spec.ranksPerNode)
                        .arg(capacity));
            return;
        }
        const int devices = std::accumulate(m_devices.begin(), m_devices.end(), 0, [](int sum, const auto& list) {
            return sum + static_cast<int>(list.size());
        });
        if (onDevices() && wanted < capacity && wanted >= m_nodes.size())
            problem(Severity::Error, -1,
                    QStringLiteral("%1 ranks in all leave %2 of %3 devices idle")
                        .arg(wanted)
                        .arg(devices - wanted)
                        .arg(devices),
                    QStringLiteral("%1 nodes would start %2 a node. If that is meant, set ranks_per_node = %2; else "
                                   "choose fewer nodes, or leave out ranks to use all %3 devices.")
                        .arg(m_nodes.size())
                        .arg(wanted / m_nodes.size())
                        .arg(devices));
        if (wanted < m_nodes.size()) {
            problem(Severity::Error, -1,
                    QStringLiteral("%1 ranks in all are fewer than the %2 nodes").arg(wanted).arg(m_nodes.size()),
                    QStringLiteral("Every node takes part with at least one rank; choose fewer nodes."));
            return;
        }
        spread(wanted);
    }

    void spread(int wanted) // evenly, but never above a node's slots or devices
    {
        QList<int> counts(m_nodes.size(), 0);
        int placed = 0;
        for (bool moved = true; moved && placed < wanted;) {
            moved = false;
            for (int i = 0; i < m_nodes.size() && placed < wanted; ++i) {
                const int taken = m_nodes[i].node.slots_;
                const int most = onDevices() ? static_cast<int>(m_devices[i].size()) : kMostRanksPerNode;
                if (counts[i] < (taken > 0 ? std::min(taken, most) : most)) {
                    ++counts[i];
                    ++placed;
                    moved = true;
                }
            }
        }
        if (placed < wanted)
            problem(Severity::Error, -1, QStringLiteral("%1 ranks in all are more than the nodes take").arg(wanted),
                    QStringLiteral("Their slots and devices are enough for %1.").arg(placed));
        for (int i = 0; i < m_nodes.size(); ++i)
            m_shares.nodes[i] = {counts[i], QStringLiteral("ranks = %1 in all").arg(wanted), {}, 0};
    }

    void useDevices(int i)
    {
        NodeShare& share = m_shares.nodes[i];
        if (!onDevices())
            return;
        if (m_nodes[i].facts && share.ranks > m_devices[i].size() && !m_devices[i].isEmpty())
            problem(Severity::Error, i,
                    QStringLiteral("%1 has %2 devices, %3 ranks are asked")
                        .arg(m_nodes[i].node.name)
                        .arg(m_devices[i].size())
                        .arg(share.ranks),
                    QStringLiteral("NCCL takes one rank a GPU. Lower ranks_per_node or the node's slots."));
        share.devices = m_devices[i].mid(0, share.ranks);
        share.idleDevices = static_cast<int>(m_devices[i].size() - share.devices.size());
        for (const DeviceFacts& device : std::as_const(share.devices)) {
            if (!device.error.isEmpty())
                problem(Severity::Error, i,
                        QStringLiteral("Device %1 of %2 can't be used").arg(device.index).arg(m_nodes[i].node.name),
                        QStringLiteral("It says: %1. Name the others as its devices in the inventory, or choose other "
                                       "nodes.")
                            .arg(device.error));
            if (device.processes.isEmpty())
                continue;
            const DeviceProcess& holder = device.processes.first();
            problem(Severity::Warning, i,
                    QStringLiteral("Device %1 of %2 is in use").arg(device.index).arg(m_nodes[i].node.name),
                    QStringLiteral("%1 (%2, process %3)%4 runs on it.")
                        .arg(holder.name.isEmpty() ? QStringLiteral("A program") : holder.name,
                             holder.user.isEmpty() ? QStringLiteral("unknown user") : holder.user)
                        .arg(holder.pid)
                        .arg(device.processes.size() > 1
                                 ? QStringLiteral(" and %1 more").arg(device.processes.size() - 1)
                                 : QString()));
        }
    }

    void tellIdle()
    {
        int idle = 0, used = 0;
        QStringList unused;
        for (int i = 0; i < m_nodes.size(); ++i) {
            idle += m_shares.nodes[i].idleDevices;
            used += static_cast<int>(m_shares.nodes[i].devices.size());
            if (!onDevices() && !m_devices[i].isEmpty())
                unused.append(m_nodes[i].node.name);
        }
        if (idle > 0)
            problem(Severity::Note, -1, QStringLiteral("%1 of %2 devices stay idle").arg(idle).arg(idle + used),
                    QStringLiteral("The ranks asked for need only %1.").arg(used));
        if (!unused.isEmpty())
            problem(Severity::Note, -1,
                    QStringLiteral("The GPUs of %1 are not used").arg(unused.join(QLatin1String(", "))),
                    m_shares.backendSource + QStringLiteral(": all ranks train on the CPU."));
    }

    const RunSpec& m_spec;
    const QList<PlanNode>& m_nodes;
    QList<QList<DeviceFacts>> m_devices;
    RankShares m_shares;
};

} // namespace

RankShares shareRanks(const RunSpec& spec, const QList<PlanNode>& nodes)
{
    return Sharer(spec, nodes).share();
}

} // namespace lockstep
