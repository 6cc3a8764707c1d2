// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/runsession.h"

#include "remote/nodestopper.h"
#include "remote/resultsfetcher.h"
#include "remote/runlaunch.h"
#include "remote/runrestarted.h"
#include "remote/wallclock.h"

namespace lockstep {

namespace {

using namespace std::chrono_literals;

constexpr auto kOthersTime = 5s;  // with kOthersGraceS below the 10 s in which the other ranks of a failed run are gone
constexpr auto kDriverEvery = 1s; // one small file is read
constexpr auto kCountedEvery = 250ms;

} // namespace

RunSession::RunSession(RunParts parts, StoreThread& store, QObject* parent)
    : QObject(parent), m_parts(std::move(parts)), m_store(store)
{
    m_others.setSingleShot(true);
    m_others.setInterval(kOthersTime);
    connect(&m_others, &QTimer::timeout, this, &RunSession::stopOthers);
    m_driver.setInterval(kDriverEvery);
    connect(&m_driver, &QTimer::timeout, this, &RunSession::lookAtDriver);
    m_counted.setSingleShot(true);
    m_counted.setInterval(kCountedEvery);
    connect(&m_counted, &QTimer::timeout, this, &RunSession::settled);
    m_restart.setSingleShot(true);
    connect(&m_restart, &QTimer::timeout, this, [this] { startLaunch(LaunchId{m_state.id, ++m_attempt}); });
}

RunSession::~RunSession() = default;

void RunSession::launch(const RunSpec& spec, const QList<Node>& nodes)
{
    m_spec = spec;
    m_asked = nodes;
    m_launchedHere = true;
    startLaunch(std::nullopt);
}

void RunSession::startLaunch(std::optional<LaunchId> again)
{
    const Checkpoints written = m_checkpoint.isEmpty() ? Checkpoints::None : Checkpoints::Written;
    const RunSpec spec = again ? resumed(m_spec, written) : m_spec;
    beginWork(0);
    if (again)
        attemptBegun(again->attempt);
    m_launch = std::make_unique<RunLaunch>(m_parts, m_store, RunLaunch::Request{spec, m_asked, std::move(again)});
    RunLaunch* launch = m_launch.get();
    connect(launch, &RunLaunch::created, this, &RunSession::created);
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
    m_driver.start(); // somebody else may ask for a stop
    launch->start();
}

void RunSession::created(const LaunchPlan& plan, const RunState& state, std::shared_ptr<RunClaim> claim)
{
    m_claim = std::move(claim);
    m_plan = plan;
    m_state = state;
    emit stateChanged(m_state);
    emit planChanged(m_spec, m_plan);
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
    m_driver.stop();
    m_agent = launched.agent;
    if (m_state.startedWallUs == 0) // else the first attempt's: a run has one time axis
        m_state.startedWallUs = launched.goWallUs;
    m_state.reason.clear();
    for (std::size_t i = 0; i < launched.nodes.size(); ++i) {
        NodeRunState& node = m_state.nodes[static_cast<qsizetype>(i)];
        node.clockOffsetUs = launched.nodes[i].probed.clock.offsetUs().value_or(0);
        node.progress.clear();
    }
    beginWork(launched.nodes.size());
    for (std::size_t i = 0; i < launched.nodes.size(); ++i)
        follow(static_cast<int>(i), launched.nodes[i].link, FollowJob::Until::RunEnds);
    if (m_state.stopRequested)
        stop(m_stopGraceS.value_or(kSpecGrace));
    settled();
}

void RunSession::launchFailed(const Error& error)
{
    m_launch.reset();
    m_driver.stop();
    beginWork(0);
    const bool elsewhere = !m_state.stopRequested && error.code == ErrorCode::Stopped; // a node says it
    m_state.stopRequested |= elsewhere;
    const bool stopped = m_state.stopRequested && error.code == ErrorCode::Stopped;
    const bool worthTrying = error.code != ErrorCode::BadInput && error.code != ErrorCode::NotFound;
    if (!stopped && m_attempt > 1 && worthTrying && m_attempts.restarts < m_spec.restarts) {
        pauseBeforeRestart(error.text); // the node that has failed may come back
        return;
    }
    m_state.phase = stopped ? RunPhase::Stopped : RunPhase::Failed;
    m_state.reason = stopped && !elsewhere ? QStringLiteral("stopped before the ranks were started") : error.text;
    m_state.endedWallUs = wallClockUs();
    if (!stopped)
        m_state.cause = m_imposed = FirstCause{-1, error.node, error.text, {}, {}, {}};
    settled();
}

} // namespace lockstep
