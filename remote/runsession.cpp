// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/runsession.h"

#include "remote/nodestopper.h"
#include "remote/resultsfetcher.h"
#include "remote/runlaunch.h"
#include "remote/wallclock.h"

namespace lockstep {

namespace {

using namespace std::chrono_literals;

constexpr auto kOthersTime = 5s; // with kOthersGraceS below the 10 s in which the other ranks of a failed run are gone

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
        follow(static_cast<int>(i), launched.nodes[i].link, FollowJob::Until::RunEnds);
    if (m_state.stopRequested)
        stop(kSpecGrace);
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
    m_work.resize(static_cast<std::size_t>(m_nodes.size()));
    m_replay = lockstep::isOver(state.phase);
    m_state = state;
    if (!m_replay) {
        // The spools are the truth: what the state file said of ranks is folded anew out of them.
        m_state = restarted(state, plan);
        m_state.attempt = 1;
        if (m_state.phase != RunPhase::Running && m_state.phase != RunPhase::Stopping)
            m_state.phase = RunPhase::Starting;
    }
    for (int i = 0; i < m_nodes.size(); ++i)
        follow(i, {}, m_replay ? FollowJob::Until::CopyEnds : FollowJob::Until::RunEnds);
    if (m_stopGraceS)
        stop(*m_stopGraceS);
    settled();
}

} // namespace lockstep
