// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/launchplan.h"

#include "core/environmentcheck.h"
#include "core/masterchoice.h"
#include "core/masterways.h"
#include "core/nodeaddress.h"
#include "core/nodehealth.h"
#include "core/passedenvironment.h"
#include "core/plancheck.h"
#include "core/planenvironment.h"
#include "core/rankcpus.h"
#include "core/rankshares.h"

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
        m_plan.shareDevices = m_spec.shareDevices;
        m_passed = passedEnvironment(m_spec, desktopEnv);
        m_plan.problems += m_passed.problems;
        for (const auto& [name, value] : std::as_const(m_passed.variables))
            m_plan.passedEnv.append(QString::fromUtf8(name));
        m_plan.problems += tellEnvironment(m_plan) + checkNodes(m_nodes) + checkSpec(m_spec, m_nodes);
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
        m_plan.problems += checkPort(m_plan, m_nodes);
        for (int i = 0; i < m_nodes.size(); ++i)
            addNode(i);
        m_plan.problems += checkMtu(m_plan, m_nodes);
        m_plan.problems += healthOf(m_nodes);
        for (const PlanNode& node : m_nodes) // the notes are for `lockstep doctor`
            for (const Problem& problem : healthOf(node))
                if (problem.severity != Severity::Note)
                    m_plan.problems.append(problem);
        return m_plan;
    }

private:
    void error(const QString& node, const QString& title, const QString& detail)
    {
        m_plan.problems.append({Severity::Error, node, title, detail});
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
                checkMasterAddr({}, m_plan.masterAddr, QStringLiteral("[env_override]"));
            } else if (name == "MASTER_PORT") {
                if (const Result<int> port = parsePort(QString::fromUtf8(value), m_spec.allowLowPort);
                    port && *port > 0)
                    m_plan.masterPort = *port;
                else
                    error({}, QStringLiteral("MASTER_PORT in [env_override] can't be used"),
                          port ? QStringLiteral("0 is no port.") : port.error().text);
            }
        }
        for (const NodeSettings& settings : m_spec.nodeSettings)
            for (const auto& [name, value] : settings.envOverride)
                checkOfOneNode(settings.node, name, value);
        if (m_plan.overriddenEnv.contains(QLatin1String("MASTER_PORT")))
            m_portSource = QStringLiteral("env_override");
        else
            m_portSource = m_plan.masterPort > 0
                               ? QStringLiteral("master_port = %1").arg(m_plan.masterPort)
                               : QStringLiteral("a free one, chosen on %1 at the start").arg(m_nodes[0].node.name);
    }

    // The caller may know a name that every node resolves; a loopback address can't be meant.
    void checkMasterAddr(const QString& node, const QString& address, const QString& table)
    {
        static const QStringList kOwnNames{QStringLiteral("localhost"), QStringLiteral("localhost.localdomain"),
                                           QStringLiteral("ip6-localhost"), QStringLiteral("0.0.0.0"),
                                           QStringLiteral("::")};
        if (address.isEmpty())
            error(node, QStringLiteral("MASTER_ADDR is empty"),
                  QStringLiteral("It stands in %1. Give it an address, or take it out and the plan finds one.")
                      .arg(table));
        else if (m_nodes.size() > 1 && (isLoopbackAddress(address) || kOwnNames.contains(address.toLower())))
            error(node, QStringLiteral("MASTER_ADDR %1 is loopback").arg(address),
                  QStringLiteral("The other nodes would wait for themselves. Take it out of %1.").arg(table));
    }

    // Behind a translated address a node may reach the master by another one; the port and the number of ranks are one.
    void checkOfOneNode(const QString& node, const QByteArray& name, const QByteArray& value)
    {
        const QString table = QStringLiteral("[node.%1.env_override]").arg(node);
        if (name == "MASTER_ADDR")
            checkMasterAddr(node, QString::fromUtf8(value), table);
        else if (name == "MASTER_PORT" || name == "WORLD_SIZE")
            error(
                node, QStringLiteral("%1 of one node can't differ").arg(QString::fromUtf8(name)),
                QStringLiteral("It stands in %1, and the ranks of the other nodes would wait elsewhere for ever. Write "
                               "it in [env_override], for all of them.")
                    .arg(table));
    }

    [[nodiscard]] RankCpus cpusOn(int i) const
    {
        const NodeShare& share = m_shares.nodes[i];
        if (m_nodes[i].facts)
            return cpusOfRanks(*m_nodes[i].facts, share, m_shares.ranksPerDevice, m_spec.affinity);
        return {QStringList(share.ranks), 1, {{}, QStringLiteral("not measured yet")}};
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
        const RankCpus cpus = cpusOn(i);
        node.devices = devicesOf(i, cpus.threads);
        node.cpus = cpus.shown;
        node.clock = clockText(source);
        if (const Reached* tried = triedBy(source, m_plan.masterAddr))
            node.masterRoundTripMs = tried->roundTripMs;
        node.interface = overridden(i, m_master.nodes[i].interface,
                                    m_shares.backend == Backend::Nccl ? "NCCL_SOCKET_IFNAME" : "GLOO_SOCKET_IFNAME");
        if (node.interface.value.isEmpty() && node.interface.source.isEmpty())
            node.interface.source = QStringLiteral("not measured yet");
        node.backend = {toString(m_shares.backend), m_shares.backendSource};
        node.reach = m_master.nodes[i].reach;
        m_plan.nodes.append(node);
        addRanks(i, node, cpus);
        m_plan.nodes.last().master = masterText(m_plan, node, m_portSource);
        const int cores = source.facts ? source.facts->usableCores() : 0;
        if (m_shares.backend == Backend::Gloo && share.devices.isEmpty() && share.ranks > cores && cores > 0)
            m_plan.problems.append(
                {Severity::Warning, node.name,
                 QStringLiteral("%1 ranks share %2 cores on %3").arg(share.ranks).arg(cores).arg(node.name),
                 QStringLiteral("They will wait for each other; fewer ranks train faster.")});
    }

    [[nodiscard]] Sourced overridden(int i, const Sourced& planned, const char* name) const
    {
        const NodeSettings* own = m_spec.settingsOf(m_nodes[i].node.name);
        const auto names = [name](const auto& entry) { return entry.first == name; };
        if (own && std::any_of(own->envOverride.begin(), own->envOverride.end(), names))
            return {QString::fromUtf8(valueOf(own->envOverride, name)),
                    QStringLiteral("[node.%1.env_override]").arg(own->node)};
        if (std::any_of(m_spec.envOverride.begin(), m_spec.envOverride.end(), names))
            return {QString::fromUtf8(valueOf(m_spec.envOverride, name)), QStringLiteral("env_override")};
        return planned;
    }

    [[nodiscard]] Sourced devicesOf(int i, int threads) const
    {
        const NodeShare& share = m_shares.nodes[i];
        const auto& facts = m_nodes[i].facts;
        if (!facts)
            return {m_shares.backend == Backend::Nccl ? QStringLiteral("GPU") : QStringLiteral("CPU"),
                    QStringLiteral("not measured yet")};
        if (share.devices.isEmpty()) {
            const int cores = facts->usableCores();
            return {QStringLiteral("CPU"),
                    QStringLiteral("%1 %2, %3 %4 a rank")
                        .arg(cores)
                        .arg(cores == 1 ? QStringLiteral("core") : QStringLiteral("cores"))
                        .arg(threads)
                        .arg(threads == 1 ? QStringLiteral("thread") : QStringLiteral("threads"))};
        }
        const auto busy = std::count_if(share.devices.begin(), share.devices.end(),
                                        [](const DeviceFacts& device) { return !device.processes.isEmpty(); });
        QString state = busy == 0 ? QStringLiteral("all idle") : QStringLiteral("%1 in use").arg(busy);
        if (m_shares.ranksPerDevice > 1)
            state += QStringLiteral(", %1 ranks each").arg(m_shares.ranksPerDevice);
        return overridden(
            i,
            {indexes(share.devices),
             QStringLiteral("%1 × %2, %3").arg(share.devices.size()).arg(share.devices.first().name, state)},
            "CUDA_VISIBLE_DEVICES");
    }

    void addRanks(int i, const PlannedNode& node, const RankCpus& cpus)
    {
        const NodeShare& share = m_shares.nodes[i];
        for (int local = 0; local < share.ranks; ++local) {
            PlannedRank rank;
            rank.rank = node.firstRank + local;
            rank.localRank = local;
            rank.nodeIndex = i;
            const int device = local / m_shares.ranksPerDevice;
            rank.device = device < share.devices.size() ? QStringLiteral("gpu:") + share.devices[device].uuid
                                                        : QStringLiteral("cpu");
            rank.cpus = cpus.ofRank.value(local);
            rank.argv = arguments();
            Environment own = ownEnvironment({rank.rank, local, m_plan.worldSize, share.ranks, i, m_plan.masterAddr,
                                              m_plan.masterPort, m_master.nodes[i].interface.value, share.devices,
                                              cpus.threads, m_shares.ranksPerDevice});
            for (const auto& [name, value] : std::as_const(m_passed.variables))
                setValue(own, name, value);
            own = withNode(std::move(own), m_nodes[i].node);
            rank.env = withSpec(std::move(own), m_spec, node.name);
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
        if (m_shares.ranksPerDevice > 1) { // by itself the trainer would take NCCL, or the CPU for Gloo
            if (m_spec.option(QStringLiteral("backend")).isEmpty())
                argv += {"--backend", "gloo"};
            if (m_spec.option(QStringLiteral("device")).isEmpty())
                argv += {"--device", "cuda"};
        }
        return argv + m_spec.arguments;
    }

    const RunSpec& m_spec;
    const QList<PlanNode>& m_nodes;
    LaunchPlan m_plan;
    RankShares m_shares;
    MasterChoice m_master;
    PassedEnvironment m_passed;
    QString m_portSource;
};

} // namespace

LaunchPlan makePlan(const RunSpec& spec, const QList<PlanNode>& nodes, const Environment& desktopEnv)
{
    return Planner(spec, nodes).plan(desktopEnv);
}

} // namespace lockstep
