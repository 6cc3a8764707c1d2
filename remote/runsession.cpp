// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/runsession.h"

#include "remote/nodestopper.h"
#include "remote/runlaunch.h"
#include "remote/wallclock.h"

#include <QLoggingCategory>

namespace lockstep {

namespace {

using namespace std::chrono_literals;

Q_LOGGING_CATEGORY(logRun, "lockstep.run")

constexpr auto kOthersTime = 5s; // with kOthersGrace below the 10 s in which the other ranks of a failed run are gone
constexpr int kOthersGraceS = 3;
constexpr qsizetype kLastLines = 20;

struct StoredRun {
    RunSpec spec;
    LaunchPlan plan;
    RunState state;
};

Result<StoredRun> readRun(RunStore& store, const QString& id)
{
    const auto spec = store.spec(id);
    if (!spec)
        return std::unexpected(spec.error());
    const auto plan = store.plan(id);
    if (!plan)
        return std::unexpected(plan.error());
    const auto state = store.state(id);
    if (!state)
        return std::unexpected(state.error());
    return StoredRun{*spec, *plan, *state};
}

// What a new plan or a fresh reading of the spools begins with.
RunState restarted(const RunState& old, const LaunchPlan& plan)
{
    RunState state = stateOf(plan);
    state.id = old.id;
    state.number = old.number;
    state.name = old.name;
    state.phase = old.phase;
    state.attempt = old.attempt;
    state.stopRequested = old.stopRequested;
    state.createdWallUs = old.createdWallUs;
    state.startedWallUs = old.startedWallUs;
    for (NodeRunState& node : state.nodes)
        for (const NodeRunState& before : old.nodes)
            if (before.name == node.name)
                node.clockOffsetUs = before.clockOffsetUs;
    return state;
}

Node nodeFor(const PlannedNode& planned, const Inventory& inventory)
{
    if (const Node* known = inventory.find(planned.name))
        return *known;
    Node node; // removed from the inventory meanwhile: the plan still knows the way
    node.name = planned.name;
    node.local = planned.local;
    if (const auto address = Address::parse(planned.address))
        node.address = *address;
    return node;
}

} // namespace

RunSession::RunSession(RunParts parts, StoreThread& store, QObject* parent)
    : QObject(parent), m_parts(std::move(parts)), m_store(store)
{
    m_others.setSingleShot(true);
    m_others.setInterval(kOthersTime);
    connect(&m_others, &QTimer::timeout, this, &RunSession::stopOthers);
}

RunSession::~RunSession() = default;

void RunSession::launch(const RunSpec& spec, const QList<Node>& nodes)
{
    m_spec = spec;
    m_asked = nodes;
    startLaunch(std::nullopt);
}

void RunSession::startLaunch(std::optional<LaunchId> again)
{
    m_launch = std::make_unique<RunLaunch>(m_parts, m_store, RunLaunch::Request{m_spec, m_asked, std::move(again)});
    RunLaunch* launch = m_launch.get();
    connect(launch, &RunLaunch::created, this, [this](const LaunchPlan& plan, const RunState& state) {
        m_plan = plan;
        m_state = state;
        emit stateChanged(m_state);
        emit planChanged(m_spec, m_plan);
    });
    connect(launch, &RunLaunch::refused, this, &RunSession::refuse);
    connect(launch, &RunLaunch::planned, this, &RunSession::planned);
    connect(launch, &RunLaunch::launched, this, &RunSession::launched);
    connect(launch, &RunLaunch::failed, this, &RunSession::launchFailed);
    connect(launch, &RunLaunch::phaseChanged, this, [this](RunPhase phase) {
        m_state.phase = phase;
        settled();
    });
    connect(launch, &RunLaunch::progressed, this, [this](int nodeIndex, const QString& words) {
        m_state.nodes[nodeIndex].progress = words;
        emit stateChanged(m_state);
    });
    launch->start();
}

void RunSession::planned(const LaunchPlan& plan)
{
    m_plan = plan;
    m_state = restarted(m_state, plan);
    m_nodes.clear();
    for (const PlannedNode& planned : plan.nodes)
        for (const Node& node : std::as_const(m_asked))
            if (node.name == planned.name)
                m_nodes.append(node);
    emit planChanged(m_spec, m_plan);
    settled();
}

void RunSession::launched(const Launched& launched)
{
    m_launch.reset();
    m_state.startedWallUs = launched.goWallUs;
    for (std::size_t i = 0; i < launched.nodes.size(); ++i) {
        NodeRunState& node = m_state.nodes[static_cast<qsizetype>(i)];
        node.clockOffsetUs = launched.nodes[i].probed.clock.offsetUs().value_or(0);
        node.progress.clear();
    }
    m_work.clear();
    m_work.resize(launched.nodes.size());
    for (std::size_t i = 0; i < launched.nodes.size(); ++i)
        follow(static_cast<int>(i), launched.nodes[i].link);
    if (m_state.stopRequested)
        stop(m_spec.graceS);
    settled();
}

void RunSession::launchFailed(const Error& error)
{
    m_launch.reset();
    const bool stopped = m_state.stopRequested && error.code == ErrorCode::Stopped;
    m_state.phase = stopped ? RunPhase::Stopped : RunPhase::Failed;
    m_state.reason = stopped ? QStringLiteral("stopped before the ranks were started") : error.text;
    m_state.endedWallUs = wallClockUs();
    if (!stopped)
        m_state.cause = m_imposed = FirstCause{-1, error.node, error.text, {}, {}, {}};
    m_work.clear();
    settled();
}

void RunSession::attach(const QString& runId, const Inventory& inventory)
{
    m_store.ask([runId](RunStore& store) { return readRun(store, runId); }, this,
                [this, inventory](const Result<StoredRun>& run) {
                    if (!run) {
                        refuse(run.error());
                        return;
                    }
                    for (const PlannedNode& planned : run->plan.nodes)
                        m_nodes.append(nodeFor(planned, inventory));
                    m_asked = m_nodes;
                    attached(run->spec, run->plan, run->state);
                });
}

void RunSession::attached(const RunSpec& spec, const LaunchPlan& plan, const RunState& state)
{
    m_spec = spec;
    m_plan = plan;
    emit stateChanged(state);
    emit planChanged(m_spec, m_plan);
    if (lockstep::isOver(state.phase)) {
        m_state = state;
        m_finished = true;
        emit finished();
        return;
    }
    // The spools are the truth: what the state file said of ranks is folded anew out of them.
    m_state = restarted(state, plan);
    m_state.attempt = 1;
    if (m_state.phase != RunPhase::Running && m_state.phase != RunPhase::Stopping)
        m_state.phase = RunPhase::Starting;
    m_work.resize(static_cast<std::size_t>(m_nodes.size()));
    for (int i = 0; i < m_nodes.size(); ++i)
        follow(i, {});
    settled();
}

void RunSession::follow(int nodeIndex, NodeLink link)
{
    const auto agent = AgentFile::load(m_parts.agentFile);
    if (!agent) {
        refuse(agent.error());
        return;
    }
    const Node& node = m_nodes[nodeIndex];
    FollowJob job{{m_state.id, node.name, nodeIndex,
                   m_state.startedWallUs ? m_state.startedWallUs : m_state.createdWallUs,
                   m_state.nodes[nodeIndex].clockOffsetUs},
                  node,
                  *agent,
                  m_parts.transports,
                  std::move(link)};
    auto follower = std::make_unique<Follower>(std::move(job), m_store);
    connect(follower.get(), &Follower::updated, this, &RunSession::heard);
    connect(follower.get(), &Follower::linkChanged, this,
            [this, nodeIndex](const LinkReport& report) { linkChanged(nodeIndex, report); });
    connect(follower.get(), &Follower::ended, this,
            [this, nodeIndex](const FollowEnd& end) { followEnded(nodeIndex, end); });
    follower->start();
    m_work[static_cast<std::size_t>(nodeIndex)] = NodeWork{std::move(follower), nullptr, false, true};
}

void RunSession::linkChanged(int nodeIndex, const LinkReport& report)
{
    NodeRunState& node = m_state.nodes[nodeIndex];
    node.link = report.phase;
    node.linkReason = report.reason;
    node.lastHeardWallUs = report.lastHeardWallUs;
    node.spoolBytes = report.spoolBytes;
    node.spoolBytesThere = std::max(report.spoolBytesThere, report.spoolBytes);
    settled();
}

void RunSession::heard(const RunUpdate& update)
{
    for (const auto& [key, points] : update.points)
        if (key.rank >= 0 && key.rank < m_state.ranks.size() && !points.empty() && points.back().step >= 0)
            m_state.ranks[key.rank].step = static_cast<qint64>(points.back().step);
    for (const LogLine& line : update.lines)
        if (line.kind == LogLine::Kind::Err && line.rank >= 0) {
            QStringList& lines = m_lastLines[line.rank];
            lines.append(line.text);
            if (lines.size() > kLastLines)
                lines.removeFirst();
        }
    for (const PhaseChange& change : update.phases) {
        beginAttempt(m_state, change.attempt);
        if (change.attempt == m_state.attempt)
            applyPhase(m_state, change);
    }
    emit updated(update);
    checkWorld(update);
    settled();
}

void RunSession::checkWorld(const RunUpdate& update)
{
    for (const auto& [rank, facts] : update.info) {
        const auto world = facts.constFind(QStringLiteral("world"));
        if (world == facts.constEnd() || world->toInt() == m_plan.worldSize || m_imposed)
            continue;
        m_imposed = FirstCause{rank,
                               m_nodes.value(update.nodeIndex).name,
                               QStringLiteral("Rank %1 trains in a world of %2, the plan has %3")
                                   .arg(rank)
                                   .arg(*world)
                                   .arg(m_plan.worldSize),
                               QStringLiteral("Each group would train alone and look fine; the run was ended at once"),
                               {},
                               {}};
        stopOthers();
    }
}

void RunSession::followEnded(int nodeIndex, const FollowEnd& end)
{
    NodeWork& work = m_work[static_cast<std::size_t>(nodeIndex)];
    work.followed = true;
    const QString name = m_nodes[nodeIndex].name;
    switch (end.how) {
    case FollowEnd::How::Ended:
        break;
    case FollowEnd::How::SupervisorLost:
    case FollowEnd::How::NeverStarted: {
        const bool lost = end.how == FollowEnd::How::SupervisorLost;
        const QString title = lost ? QStringLiteral("The supervisor on %1 is gone; its ranks are ended").arg(name)
                                   : QStringLiteral("%1 never started its ranks: the launch was cut off").arg(name);
        qCWarning(logRun).noquote() << m_state.id << title;
        emit said(title);
        if (!m_imposed && !m_state.cause)
            m_imposed = FirstCause{-1, name, title, end.error.text, {}, {}};
        for (RankState& rank : m_state.ranks)
            if (rank.nodeIndex == nodeIndex && rank.endedWallUs == 0)
                rank.phase = RankPhase::Lost;
        m_state.nodes[nodeIndex].linkReason = title;
        if (lost)
            stopNode(nodeIndex, kOthersGraceS); // finds them by their tag, and proves it
        break;
    }
    case FollowEnd::How::StoreFailed:
        m_state.nodes[nodeIndex].linkReason = end.error.text;
        emit said(end.error.text);
        break;
    }
    settled();
}

void RunSession::stop(int graceS)
{
    m_state.stopRequested = true;
    if (m_launch) {
        m_launch->requestStop();
        emit stateChanged(m_state);
        return;
    }
    for (int i = 0; i < static_cast<int>(m_work.size()); ++i)
        stopNode(i, graceS);
    if (!m_work.empty() && !lockstep::isOver(m_state.phase))
        m_state.phase = RunPhase::Stopping;
    settled();
}

void RunSession::stopOthers()
{
    for (int i = 0; i < static_cast<int>(m_work.size()); ++i)
        if (!m_work[static_cast<std::size_t>(i)].followed)
            stopNode(i, std::min(kOthersGraceS, m_spec.graceS));
}

void RunSession::stopNode(int nodeIndex, int graceS)
{
    NodeWork& work = m_work[static_cast<std::size_t>(nodeIndex)];
    if (!work.proven || m_state.nodes[nodeIndex].left == 0)
        return; // asked already, or gone
    work.proven = false;
    work.stopper = std::make_unique<NodeStopper>(m_parts, NodeStopper::Request{m_nodes[nodeIndex], m_state.id, graceS});
    connect(work.stopper.get(), &NodeStopper::answered, this,
            [this, nodeIndex](const Result<StopProof>& proof) { stopAnswered(nodeIndex, proof); });
    work.stopper->start();
}

void RunSession::stopAnswered(int nodeIndex, const Result<StopProof>& proof)
{
    NodeWork& work = m_work[static_cast<std::size_t>(nodeIndex)];
    work.proven = true;
    NodeRunState& node = m_state.nodes[nodeIndex];
    if (proof) {
        node.gone = std::max(node.gone, proof->gone);
        node.left = proof->left;
    } else if (proof.error().code == ErrorCode::NotFound) {
        node.left = 0;
    } else {
        emit said(proof.error().text);
        node.linkReason = proof.error().text;
    }
    settled();
}

} // namespace lockstep
