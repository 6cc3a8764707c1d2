// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rankshares.h"

#include "core/devicechoice.h"
#include "core/deviceuse.h"

#include <algorithm>
#include <numeric>

namespace lockstep {
namespace {

class Sharer {
public:
    Sharer(const RunSpec& spec, const QList<PlanNode>& nodes) : m_spec(spec), m_nodes(nodes) {}

    RankShares share()
    {
        for (const PlanNode& node : m_nodes) {
            const ChosenDevices chosen = chooseDevices(m_spec, node);
            m_devices.append(chosen.devices);
            m_named.append(chosen.named);
            m_shares.problems += chosen.problems;
        }
        chooseBackend();
        for (int i = 0; i < m_nodes.size(); ++i)
            m_shares.nodes.append(ranksAsked(i) > 0 ? asked(i) : natural(i));
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
        m_shares.ranksPerDevice = without.isEmpty() && !with.isEmpty() ? m_spec.ranksPerDevice : 1;
        if (m_spec.ranksPerDevice > 1 && !without.isEmpty())
            problem(Severity::Error, static_cast<int>(indexOf(without.first())),
                    QStringLiteral("%1 has no device for ranks_per_device = %2")
                        .arg(without.join(QLatin1String(", ")))
                        .arg(m_spec.ranksPerDevice),
                    QStringLiteral("Leave out these nodes, or ranks_per_device."));
        if (m_spec.ranksPerDevice > 1 && m_spec.backend == Backend::Nccl)
            problem(Severity::Error, -1, QStringLiteral("NCCL refuses several ranks on one GPU"),
                    QStringLiteral("It would end with \"Duplicate GPU detected\". Set backend = \"gloo\", or leave out "
                                   "ranks_per_device = %1.")
                        .arg(m_spec.ranksPerDevice));
        if (m_shares.ranksPerDevice > 1 && m_spec.backend == Backend::Auto) {
            m_shares.backendSource =
                QStringLiteral("auto: %1 ranks a device, which NCCL refuses").arg(m_spec.ranksPerDevice);
            return;
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

    [[nodiscard]] bool onDevices() const { return m_shares.backend == Backend::Nccl || m_shares.ranksPerDevice > 1; }
    [[nodiscard]] int places(int i) const // ranks that the node's devices take
    {
        return static_cast<int>(m_devices[i].size()) * m_shares.ranksPerDevice;
    }

    [[nodiscard]] NodeShare natural(int i) const // one a device; a CPU node: its slots, else one
    {
        NodeShare share;
        const Node& node = m_nodes[i].node;
        const int places = this->places(i);
        if (onDevices() && places > 0) {
            share.ranks = node.slots_ > 0 ? std::min(node.slots_, places) : places;
            share.source = share.ranks < places ? QStringLiteral("%1 slots").arg(node.slots_)
                           : m_shares.ranksPerDevice == 1
                               ? QStringLiteral("%1 a node, one a device").arg(places)
                               : QStringLiteral("%1 a node, %2 a device").arg(places).arg(m_shares.ranksPerDevice);
        } else if (node.slots_ > 0) {
            share.ranks = node.slots_;
            share.source = QStringLiteral("%1 slots").arg(node.slots_);
        } else if (!m_nodes[i].facts && m_named[i] > 0) {
            share.ranks = m_named[i];
            share.source = QStringLiteral("the devices that are named; not measured yet");
        } else {
            share.ranks = 1;
            share.source = m_nodes[i].facts ? QStringLiteral("one on the CPU") : QStringLiteral("not measured yet");
        }
        return share;
    }

    [[nodiscard]] int ranksAsked(int i) const
    {
        const NodeSettings* settings = m_spec.settingsOf(m_nodes[i].node.name);
        return settings && settings->ranks > 0 ? settings->ranks : m_spec.ranksPerNode;
    }

    NodeShare asked(int i)
    {
        NodeShare share;
        share.ranks = ranksAsked(i);
        const Node& node = m_nodes[i].node;
        const NodeSettings* settings = m_spec.settingsOf(node.name);
        share.source = settings && settings->ranks > 0
                           ? QStringLiteral("ranks = %1 in [node.%2]").arg(share.ranks).arg(node.name)
                           : QStringLiteral("ranks_per_node = %1").arg(share.ranks);
        if (node.slots_ > 0 && share.ranks > node.slots_)
            problem(
                Severity::Error, i,
                QStringLiteral("%1 has %2 slots, %3 ranks are asked").arg(node.name).arg(node.slots_).arg(share.ranks),
                QStringLiteral("Ask for fewer (ranks_per_node), or raise the node's slots in the inventory."));
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
        const int idle = devices - (wanted + m_shares.ranksPerDevice - 1) / m_shares.ranksPerDevice;
        if (onDevices() && wanted < capacity && idle > 0 && wanted >= m_nodes.size())
            problem(Severity::Error, -1,
                    QStringLiteral("%1 ranks in all leave %2 of %3 devices idle").arg(wanted).arg(idle).arg(devices),
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

    // Evenly, but never above a node's slots or devices, and on a node whose ranks the spec names just those.
    void spread(int wanted)
    {
        QList<int> counts(m_nodes.size(), 0);
        QList<bool> isSaid(m_nodes.size(), false);
        int placed = 0;
        for (int i = 0; i < m_nodes.size(); ++i) {
            isSaid[i] = ranksAsked(i) > 0;
            counts[i] = ranksAsked(i);
            placed += counts[i];
        }
        if (placed > wanted || (placed < wanted && !isSaid.contains(false))) {
            problem(
                Severity::Error, -1, QStringLiteral("%1 ranks in all do not fit what the nodes are told").arg(wanted),
                QStringLiteral("ranks under [node.NAME] are %1 by themselves. Leave out one of the two.").arg(placed));
            return;
        }
        for (bool moved = true; moved && placed < wanted;) {
            moved = false;
            for (int i = 0; i < m_nodes.size() && placed < wanted; ++i) {
                const int taken = m_nodes[i].node.slots_;
                const int most = onDevices() ? places(i) : kMostRanksPerNode;
                if (!isSaid[i] && counts[i] < (taken > 0 ? std::min(taken, most) : most)) {
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
            if (!isSaid[i])
                m_shares.nodes[i] = {counts[i], QStringLiteral("ranks = %1 in all").arg(wanted), {}, 0};
    }

    void useDevices(int i)
    {
        NodeShare& share = m_shares.nodes[i];
        if (!onDevices())
            return;
        if (m_nodes[i].facts && share.ranks > places(i) && places(i) > 0)
            problem(Severity::Error, i,
                    QStringLiteral("%1 has %2 devices, %3 ranks are asked")
                        .arg(m_nodes[i].node.name)
                        .arg(m_devices[i].size())
                        .arg(share.ranks),
                    m_shares.ranksPerDevice > 1
                        ? QStringLiteral("ranks_per_device = %1 gives them %2 ranks. Raise it, or lower "
                                         "ranks_per_node.")
                              .arg(m_shares.ranksPerDevice)
                              .arg(places(i))
                        : QStringLiteral("NCCL takes one rank a GPU. Lower ranks_per_node or the node's slots; or set "
                                         "ranks_per_device, and the ranks meet over Gloo."));
        const int needed = (share.ranks + m_shares.ranksPerDevice - 1) / m_shares.ranksPerDevice;
        share.devices = m_devices[i].mid(0, needed);
        share.idleDevices = static_cast<int>(m_devices[i].size() - share.devices.size());
        m_shares.problems += deviceProblems(m_spec, m_nodes[i], share.devices);
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
        if (!onDevices())
            for (const PlanNode& node : m_nodes)
                m_shares.problems += cpuProblems(node);
        if (!unused.isEmpty())
            problem(Severity::Note, -1,
                    QStringLiteral("The GPUs of %1 are not used").arg(unused.join(QLatin1String(", "))),
                    m_shares.backendSource + QStringLiteral(": all ranks train on the CPU."));
    }

    const RunSpec& m_spec;
    const QList<PlanNode>& m_nodes;
    QList<QList<DeviceFacts>> m_devices;
    QList<int> m_named; // how many devices are named for a node; 0: all are meant
    RankShares m_shares;
};

} // namespace

RankShares shareRanks(const RunSpec& spec, const QList<PlanNode>& nodes)
{
    return Sharer(spec, nodes).share();
}

} // namespace lockstep
