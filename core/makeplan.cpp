// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/launchplan.h"

#include "core/masterchoice.h"
#include "core/nodeaddress.h"
#include "core/planenvironment.h"
#include "core/rankshares.h"

#include <QSet>

#include <algorithm>

namespace lockstep {
namespace {

QString span(int first, int count)
{
    return count <= 1 ? QString::number(first) : QStringLiteral("%1–%2").arg(first).arg(first + count - 1);
}

QString indexes(const QList<DeviceFacts>& devices) // 0–3, or 0, 2, 5
{
    QStringList list;
    bool even = true;
    for (qsizetype i = 0; i < devices.size(); ++i) {
        list.append(QString::number(devices[i].index));
        even = even && devices[i].index == devices[0].index + i;
    }
    return even && list.size() > 1 ? list.first() + QStringLiteral("–") + list.last() : list.join(QLatin1String(", "));
}

class Planner {
public:
    Planner(const RunSpec& spec, const QList<PlanNode>& nodes) : m_spec(spec), m_nodes(nodes) {}

    LaunchPlan plan(const Environment& desktopEnv)
    {
        m_plan.droppedEnv = launchVariables(desktopEnv);
        m_plan.overriddenEnv = overriddenNames(m_spec);
        m_plan.problems = checkEnvironment(m_spec);
        checkNodes();
        checkSpec();
        if (m_nodes.isEmpty())
            return m_plan;
        m_shares = shareRanks(m_spec, m_nodes);
        m_master = chooseMaster(m_nodes);
        m_plan.problems += m_shares.problems + m_master.problems;
        m_plan.backend = m_shares.backend;
        for (const NodeShare& share : std::as_const(m_shares.nodes))
            m_plan.worldSize += share.ranks;
        if (m_plan.worldSize > kMostRanks) {
            error({}, QStringLiteral("%1 ranks are more than Lockstep starts").arg(m_plan.worldSize),
                  QStringLiteral("%1 are the most.").arg(kMostRanks));
            return m_plan;
        }
        takeMaster();
        for (int i = 0; i < m_nodes.size(); ++i)
            addNode(i);
        return m_plan;
    }

private:
    void error(const QString& node, const QString& title, const QString& detail)
    {
        m_plan.problems.append({Severity::Error, node, title, detail});
    }

    void checkNodes()
    {
        if (m_nodes.isEmpty())
            error({}, QStringLiteral("No node is chosen"),
                  QStringLiteral("Choose at least one under Nodes, or leave the selection empty for this machine."));
        QSet<QString> seen;
        for (const PlanNode& node : m_nodes) {
            if (const Result<void> named = checkNodeName(node.node.name); !named)
                error(node.node.name, QStringLiteral("\"%1\" can't be a node's name").arg(node.node.name),
                      named.error().text);
            if (seen.contains(node.node.name))
                error(node.node.name, QStringLiteral("%1 is chosen twice").arg(node.node.name),
                      QStringLiteral("A node takes part once; for more ranks raise ranks_per_node."));
            seen.insert(node.node.name);
        }
    }

    void checkSpec()
    {
        if (const Result<int> port = parsePort(QString::number(m_spec.masterPort), m_spec.allowLowPort); !port)
            error({}, QStringLiteral("The master port can't be used"), port.error().text);
        for (const TrainerOption& option : m_spec.trainer) {
            if (const Result<void> named = checkOptionName(option.name); !named)
                error({}, QStringLiteral("\"%1\" is no option of the trainer").arg(option.name), named.error().text);
        }
    }

    void takeMaster()
    {
        m_plan.masterAddr = m_master.address.value;
        m_plan.masterAddrSource = m_master.address.source;
        m_plan.masterPort = m_spec.masterPort;
        for (const auto& [name, value] : m_spec.envOverride) {
            if (name == "MASTER_ADDR") {
                m_plan.masterAddr = QString::fromUtf8(value);
                m_plan.masterAddrSource = QStringLiteral("env_override");
                // The caller may know a name that every node resolves; a loopback address can't be meant.
                if (m_nodes.size() > 1 &&
                    (isLoopbackAddress(m_plan.masterAddr) || m_plan.masterAddr == QLatin1String("localhost")))
                    error({}, QStringLiteral("MASTER_ADDR %1 is loopback").arg(m_plan.masterAddr),
                          QStringLiteral("The other nodes would wait for themselves. Take it out of [env_override]."));
            } else if (name == "MASTER_PORT") {
                if (const Result<int> port = parsePort(QString::fromUtf8(value), m_spec.allowLowPort);
                    port && *port > 0)
                    m_plan.masterPort = *port;
                else
                    error({}, QStringLiteral("MASTER_PORT in [env_override] can't be used"),
                          port ? QStringLiteral("0 is no port.") : port.error().text);
            }
        }
        if (m_plan.overriddenEnv.contains(QLatin1String("MASTER_PORT")))
            m_portSource = QStringLiteral("env_override");
        else
            m_portSource = m_plan.masterPort > 0
                               ? QStringLiteral("master_port = %1").arg(m_plan.masterPort)
                               : QStringLiteral("a free one, chosen on %1 at the start").arg(m_nodes[0].node.name);
    }

    [[nodiscard]] int threadsOn(int i) const
    {
        const auto& facts = m_nodes[i].facts;
        return facts ? std::max(1, facts->cores / std::max(1, m_shares.nodes[i].ranks)) : 1;
    }

    void addNode(int i)
    {
        const PlanNode& source = m_nodes[i];
        const NodeShare& share = m_shares.nodes[i];
        PlannedNode node;
        node.name = source.node.name;
        node.local = source.node.local;
        node.address = source.node.local ? QStringLiteral("local") : source.node.address.text();
        node.nodeRank = {QString::number(i), m_nodes.size() == 1 ? QStringLiteral("the only node")
                                             : i == 0            ? QStringLiteral("the first node: the master")
                                                                 : QStringLiteral("in the order of the selection")};
        node.firstRank = static_cast<int>(m_plan.ranks.size());
        node.rankCount = share.ranks;
        node.ranks = {share.ranks > 0 ? span(node.firstRank, share.ranks) : QStringLiteral("none"), share.source};
        node.devices = devicesOf(i);
        node.master = masterText(m_plan.masterAddr, m_plan.masterPort,
                                 m_plan.masterAddrSource + QStringLiteral("; port: ") + m_portSource);
        node.interface = overridden(m_master.nodes[i].interface,
                                    m_shares.backend == Backend::Nccl ? "NCCL_SOCKET_IFNAME" : "GLOO_SOCKET_IFNAME");
        if (node.interface.value.isEmpty() && node.interface.source.isEmpty())
            node.interface.source = QStringLiteral("not measured yet");
        node.backend = {toString(m_shares.backend), m_shares.backendSource};
        node.reach = m_master.nodes[i].reach;
        m_plan.nodes.append(node);
        addRanks(i, node);
        if (source.facts && m_shares.backend == Backend::Gloo && share.ranks > source.facts->cores &&
            source.facts->cores > 0)
            m_plan.problems.append({Severity::Warning, node.name,
                                    QStringLiteral("%1 ranks share %2 cores on %3")
                                        .arg(share.ranks)
                                        .arg(source.facts->cores)
                                        .arg(node.name),
                                    QStringLiteral("They will wait for each other; fewer ranks train faster.")});
    }

    [[nodiscard]] Sourced overridden(const Sourced& planned, const char* name) const
    {
        return m_plan.overriddenEnv.contains(QLatin1String(name))
                   ? Sourced{QString::fromUtf8(valueOf(m_spec.envOverride, name)), QStringLiteral("env_override")}
                   : planned;
    }

    [[nodiscard]] Sourced devicesOf(int i) const
    {
        const NodeShare& share = m_shares.nodes[i];
        const auto& facts = m_nodes[i].facts;
        if (!facts)
            return {m_shares.backend == Backend::Nccl ? QStringLiteral("GPU") : QStringLiteral("CPU"),
                    QStringLiteral("not measured yet")};
        if (share.devices.isEmpty())
            return {QStringLiteral("CPU"),
                    QStringLiteral("%1 %2, %3 %4 a rank")
                        .arg(facts->cores)
                        .arg(facts->cores == 1 ? QStringLiteral("core") : QStringLiteral("cores"))
                        .arg(threadsOn(i))
                        .arg(threadsOn(i) == 1 ? QStringLiteral("thread") : QStringLiteral("threads"))};
        const auto busy = std::count_if(share.devices.begin(), share.devices.end(),
                                        [](const DeviceFacts& device) { return !device.processes.isEmpty(); });
        const QString state = busy == 0 ? QStringLiteral("all idle") : QStringLiteral("%1 in use").arg(busy);
        return overridden(
            {indexes(share.devices),
             QStringLiteral("%1 × %2, %3").arg(share.devices.size()).arg(share.devices.first().name, state)},
            "CUDA_VISIBLE_DEVICES");
    }

    void addRanks(int i, const PlannedNode& node)
    {
        const NodeShare& share = m_shares.nodes[i];
        for (int local = 0; local < share.ranks; ++local) {
            PlannedRank rank;
            rank.rank = node.firstRank + local;
            rank.localRank = local;
            rank.nodeIndex = i;
            rank.device = local < share.devices.size() ? QStringLiteral("gpu:") + share.devices[local].uuid
                                                       : QStringLiteral("cpu");
            rank.argv = arguments();
            rank.env = withSpec(
                ownEnvironment({rank.rank, local, m_plan.worldSize, share.ranks, i, m_plan.masterAddr,
                                m_plan.masterPort, m_master.nodes[i].interface.value, share.devices, threadsOn(i)}),
                m_spec);
            m_plan.ranks.append(rank);
        }
    }

    [[nodiscard]] QList<QByteArray> arguments() const
    {
        QList<QByteArray> argv{QByteArray(kBundleToken) + "/lockstep-trainer"};
        for (const TrainerOption& option : m_spec.trainer) {
            argv.append("--" + option.name.toUtf8().replace('_', '-'));
            argv.append(option.value);
        }
        return argv + m_spec.arguments;
    }

    const RunSpec& m_spec;
    const QList<PlanNode>& m_nodes;
    LaunchPlan m_plan;
    RankShares m_shares;
    MasterChoice m_master;
    QString m_portSource;
};

} // namespace

LaunchPlan makePlan(const RunSpec& spec, const QList<PlanNode>& nodes, const Environment& desktopEnv)
{
    return Planner(spec, nodes).plan(desktopEnv);
}

} // namespace lockstep
