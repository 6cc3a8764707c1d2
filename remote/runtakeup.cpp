// SPDX-License-Identifier: GPL-3.0-or-later
// RunSession: a run of the store is taken up, beside the program that drives it or in its place.
#include "core/specnodes.h"
#include "remote/nodestopper.h"
#include "remote/resultsfetcher.h"
#include "remote/runlaunch.h"
#include "remote/runrestarted.h"
#include "remote/runsession.h"

#include <algorithm>

namespace lockstep {

struct RunSession::StoredRun {
    RunSpec spec;
    LaunchPlan plan;
    RunState state;
    std::shared_ptr<RunClaim> claim; // null: another program drives it
    std::optional<int> stopAsked;
    Result<AgentFile> agent;
};

namespace {

bool isLaunching(RunPhase phase)
{
    return phase == RunPhase::Planning || phase == RunPhase::Deploying || phase == RunPhase::Starting;
}

bool isProven(const RunState& state)
{
    return std::ranges::all_of(state.nodes, [](const NodeRunState& node) { return node.left == 0; });
}

} // namespace

void RunSession::attach(const QString& runId, const Inventory& inventory)
{
    m_inventory = inventory;
    takeUp(runId);
}

void RunSession::takeUp(const QString& runId)
{
    const auto read = [runId, agentFile = m_parts.agentFile, agent = m_agent](RunStore& store) -> Result<StoredRun> {
        auto spec = store.spec(runId);
        if (!spec)
            return std::unexpected(spec.error());
        auto claim = store.claim(runId); // before the state: whoever lets go of it has saved its last word
        auto plan = store.plan(runId);
        if (!plan)
            return std::unexpected(plan.error());
        auto state = store.state(runId);
        if (!state)
            return std::unexpected(state.error());
        return StoredRun{*spec,
                         *plan,
                         *state,
                         std::move(claim),
                         store.stopAsked(runId),
                         agent.hash.isEmpty() ? AgentFile::load(agentFile) : agent};
    };
    m_store.ask(read, this, [this](const Result<StoredRun>& run) {
        if (m_finished)
            return;
        if (!run)
            refuse(run.error());
        else if (m_state.id.isEmpty() || m_nodes.isEmpty())
            attached(*run);
        else
            driverSaid(*run);
    });
}

void RunSession::attached(const StoredRun& run)
{
    m_spec = run.spec;
    m_plan = run.plan;
    m_state = run.state;
    if (isLaunching(run.state.phase) && !run.claim) { // what the nodes know of it changes with each moment
        emit stateChanged(m_state);
        emit planChanged(m_spec, m_plan);
        if (m_stopGraceS && !run.stopAsked)
            askDriverToStop(*m_stopGraceS);
        m_driver.start();
        return;
    }
    m_driver.stop();
    m_claim = run.claim;
    m_attempt = run.state.attempt;
    m_attempts.restarts = m_attempt - 1;
    for (const PlannedNode& planned : m_plan.nodes)
        m_nodes.append(nodeFor(planned, m_inventory));
    m_asked = m_nodes;
    const bool over = lockstep::isOver(run.state.phase);
    m_watching = !over ? Watching::Live : m_stopGraceS && !isProven(run.state) ? Watching::Proving : Watching::Replay;
    if (run.agent) {
        m_agent = *run.agent;
    } else if (m_watching != Watching::Replay) { // which asks no node
        refuse(run.agent.error());
        return;
    }
    emit stateChanged(m_state);
    emit planChanged(m_spec, m_plan);
    if (m_watching == Watching::Live) {
        // The spools are the truth: what the state file said of ranks is folded anew out of them.
        m_state = restarted(run.state, m_plan);
        m_state.attempt = 1;
        m_state.reason.clear();
        if (m_state.phase != RunPhase::Running && m_state.phase != RunPhase::Stopping)
            m_state.phase = RunPhase::Starting;
    }
    followAll(over ? FollowJob::Until::CopyEnds : FollowJob::Until::RunEnds);
    if (m_stopGraceS && m_watching == Watching::Live)
        stop(*m_stopGraceS);
    settled();
}

void RunSession::followAll(FollowJob::Until until)
{
    beginWork(static_cast<std::size_t>(m_nodes.size()));
    for (int i = 0; i < m_nodes.size(); ++i)
        follow(i, {}, until);
}

void RunSession::lookAtDriver()
{
    const QString id = m_state.id;
    if (id.isEmpty())
        return;
    if (!m_claim) {
        takeUp(id);
        return;
    }
    m_store.ask([id](RunStore& store) { return store.stopAsked(id); }, this,
                [this](const std::optional<int>& grace) {
                    if (grace && (m_launch || m_restart.isActive()) && !m_state.stopRequested)
                        stop(*grace);
                });
}

// All that was followed has come to its end, and another program decides what comes next.
void RunSession::driverSaid(const StoredRun& run)
{
    if (m_claim || m_launch || isWorking())
        return;
    if (run.claim && !lockstep::isOver(run.state.phase)) { // it is gone, and had not come to an end
        m_driver.stop();
        m_claim = run.claim;
        for (int i = 0; i < static_cast<int>(m_work.size()); ++i)
            fetchResults(i);
        finishIfOver();
    } else if (lockstep::isOver(run.state.phase)) {
        m_state = run.state;
        markFinished();
        emit stateChanged(m_state);
        emit finished();
    } else if (run.state.attempt > m_state.attempt && !isLaunching(run.state.phase)) {
        m_driver.stop();
        m_plan = run.plan;
        m_nodes.clear();
        for (const PlannedNode& planned : m_plan.nodes)
            m_nodes.append(nodeFor(planned, m_inventory));
        emit planChanged(m_spec, m_plan);
        followAll(FollowJob::Until::RunEnds);
        settled();
    } else if (run.state.phase != m_state.phase || run.state.reason != m_state.reason) {
        RunState shown = m_state;
        shown.phase = run.state.phase;
        shown.reason = run.state.reason;
        emit stateChanged(shown);
    }
}

void RunSession::takeClaim()
{
    m_driver.start();
    lookAtDriver();
}

} // namespace lockstep
