// SPDX-License-Identifier: GPL-3.0-or-later
// RunSession: stop on request, and of the nodes that a failed run is still on.
#include "remote/nodestopper.h"
#include "remote/resultsfetcher.h"
#include "remote/runlaunch.h"
#include "remote/runsession.h"

namespace lockstep {

void RunSession::stop(int graceS)
{
    if (m_finished || m_replay)
        return;
    if (m_state.id.isEmpty() && !m_launch) {
        m_stopGraceS = graceS;
        return;
    }
    m_state.stopRequested = true;
    if (m_launch)
        m_launch->requestStop();
    else if (!lockstep::isOver(m_state.phase))
        m_state.phase = RunPhase::Stopping;
    for (int i = 0; i < static_cast<int>(m_work.size()); ++i)
        stopNode(i, graceS < 0 ? m_spec.graceS : graceS);
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
