// SPDX-License-Identifier: GPL-3.0-or-later
// RunSession: stop on request, and of the nodes that a failed run is still on.
#include "remote/nodestopper.h"
#include "remote/resultsfetcher.h"
#include "remote/runlaunch.h"
#include "remote/runsession.h"

#include <algorithm>

namespace lockstep {

void RunSession::stop(int graceS)
{
    if (m_finished || m_watching == Watching::Replay)
        return;
    if ((m_state.id.isEmpty() && !m_launch) || (!m_launchedHere && m_nodes.isEmpty())) {
        m_stopGraceS = graceS; // not read from the store yet, or launched by another program at the moment
        return;
    }
    if (m_watching == Watching::Proving)
        return; // it is on its way
    m_state.stopRequested = true;
    m_stopGraceS = graceS;
    askDriverToStop(graceS);
    if (m_launch)
        m_launch->requestStop();
    else if (m_restart.isActive())
        stopWhilePausing();
    else if (!lockstep::isOver(m_state.phase))
        m_state.phase = RunPhase::Stopping;
    for (int i = 0; i < static_cast<int>(m_work.size()); ++i)
        stopNode(i, graceS < 0 ? m_spec.graceS : graceS);
    settled();
}

// Its ranks end there, and those that lose a peer by it look like a failure: this run does not start again.
void RunSession::stopAskedElsewhere(const PhaseChange& change)
{
    if (!m_claim || m_state.stopRequested || m_watching != Watching::Live)
        return;
    emit said(QStringLiteral("The run is stopped: somebody asked for it on %1").arg(m_nodes[change.nodeIndex].name));
    stop(std::min(change.askedGraceS, kMostGraceS));
}

// The program that drives the run, where that is another one: ranks that lose a peer by our stop look to it like a
// failure, after which it would start them again.
void RunSession::askDriverToStop(int graceS)
{
    if (m_claim || m_state.id.isEmpty())
        return;
    m_store.post([id = m_state.id, graceS](RunStore& store) {
        if (auto asked = store.askToStop(id, graceS); !asked)
            qWarning("%s", qPrintable(asked.error().text));
    });
}

void RunSession::stopWhilePausing()
{
    m_restart.stop();
    m_driver.stop();
    m_state.phase = RunPhase::Stopped;
    m_state.reason = QStringLiteral("stopped before attempt %1").arg(m_attempt + 1);
}

void RunSession::stopOthers()
{
    for (int i = 0; i < static_cast<int>(m_work.size()); ++i)
        if (!m_work[static_cast<std::size_t>(i)].followed)
            stopNode(i, std::min(kOthersGraceS, m_spec.graceS));
}

// Of a run that is over: whoever has not proven that nothing is left, for whatever reason, is asked now.
void RunSession::proveAll()
{
    m_proofAsked = true;
    for (int i = 0; i < static_cast<int>(m_work.size()); ++i)
        stopNode(i, m_stopGraceS.value_or(kSpecGrace) < 0 ? m_spec.graceS : *m_stopGraceS);
}

void RunSession::stopNode(int nodeIndex, int graceS)
{
    NodeWork& work = m_work[static_cast<std::size_t>(nodeIndex)];
    if (m_state.nodes[nodeIndex].left == 0 || (!work.proven && graceS >= work.stopGraceS))
        return; // gone, or asked already: only a shorter patience is news
    work.proven = false;
    work.stopGraceS = graceS;
    const bool forGood = m_state.stopRequested || m_watching == Watching::Proving;
    const StopWish wish{graceS, forGood ? StopWish::By::Person : StopWish::By::Driver};
    work.stopper = std::make_unique<NodeStopper>(m_parts, NodeStopper::Request{m_nodes[nodeIndex], m_state.id, wish});
    connect(work.stopper.get(), &NodeStopper::answered, this,
            [this, nodeIndex, round = m_round, order = ++work.stopOrders](const Result<StopProof>& proof) {
                if (round == m_round && order == m_work[static_cast<std::size_t>(nodeIndex)].stopOrders)
                    stopAnswered(nodeIndex, proof);
            });
    work.stopper->start();
}

void RunSession::stopAnswered(int nodeIndex, const Result<StopProof>& proof)
{
    NodeWork& work = m_work[static_cast<std::size_t>(nodeIndex)];
    work.proven = true;
    NodeRunState& node = m_state.nodes[nodeIndex];
    if (proof) {
        work.offered = false;
        node.gone = std::max(node.gone, proof->gone);
        node.left = proof->left;
        m_state.cause = judge(m_state);
        if (m_watching == Watching::Proving) // what it wrote since our copy ended
            follow(nodeIndex, {}, FollowJob::Until::RunEnds);
    } else if (proof.error().code == ErrorCode::NotFound) {
        work.offered = false;
        node.left = 0;
    } else {
        work.unreachable = true;
        for (RankState& rank : m_state.ranks)
            if (rank.nodeIndex == nodeIndex && rank.endedWallUs == 0)
                rank.phase = RankPhase::Lost;
        emit said(proof.error().text);
        node.linkReason = proof.error().text;
    }
    settled();
}

} // namespace lockstep
