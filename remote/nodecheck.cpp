// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/nodecheck.h"

#include "remote/wallclock.h"

#include <QDateTime>

namespace lockstep {

NodePhase phaseOf(ErrorCode code)
{
    switch (code) {
    case ErrorCode::Unreachable:
    case ErrorCode::Timeout:
    case ErrorCode::ConnectionLost:
        return NodePhase::Unreachable;
    case ErrorCode::HostKeyUnknown:
        return NodePhase::UnknownHostKey;
    case ErrorCode::HostKeyChanged:
        return NodePhase::HostKeyChanged;
    case ErrorCode::AuthFailed:
        return NodePhase::AuthFailed;
    case ErrorCode::NeedsPassphrase:
        return NodePhase::NeedsPassphrase;
    case ErrorCode::BadInput:
    case ErrorCode::NotFound:
    case ErrorCode::Io:
    case ErrorCode::Agent:
    case ErrorCode::Protocol:
    case ErrorCode::Busy:
    case ErrorCode::Stopped:
        return NodePhase::Failed;
    }
    return NodePhase::Failed;
}

QString sentenceOf(const Error& error, qint64 sinceWallUs)
{
    if (phaseOf(error.code) != NodePhase::Unreachable)
        return error.text;
    const QString since = QDateTime::fromMSecsSinceEpoch(sinceWallUs / 1000).toString(QStringLiteral("HH:mm"));
    return QStringLiteral("unreachable since %1: %2").arg(since, error.text);
}

void showProbed(NodeState& state, const NodeLink& link, const Probed& probed)
{
    state.facts = probed.facts;
    state.roundTripMs = probed.roundTripMs;
    state.signedInWith = link.transport->signedInWith();
    state.hostKey = link.transport->hostKey();
    state.deployed = QStringLiteral("agent %1").arg(link.agent.version);
    if (const auto offset = probed.clock.offsetUs()) {
        state.clockOffsetMs = static_cast<double>(*offset) / 1000.0;
        state.clockErrorMs = std::max(0.0, probed.clock.errorMs());
    }
    if (state.phase != NodePhase::Ready)
        state.sinceWallUs = wallClockUs();
    state.phase = NodePhase::Ready;
    state.sentence = QStringLiteral("ready");
}

NodeState checkNode(const RunParts& parts, const Node& node, std::stop_token stop)
{
    NodeState state;
    state.node = node;
    const auto fail = [&state](const Error& error) {
        state.sinceWallUs = wallClockUs();
        state.phase = phaseOf(error.code);
        state.sentence = error.text;
        return state;
    };
    const auto agent = AgentFile::load(parts.agentFile);
    if (!agent)
        return fail(agent.error());
    std::shared_ptr<Transport> transport = parts.transports(node);
    auto link = openNode(transport, *agent, stop);
    if (!link) {
        state.hostKey = transport->hostKey();
        return fail(link.error());
    }
    const auto probed = probeNode(*link, stop);
    if (!probed)
        return fail(probed.error());
    showProbed(state, *link, *probed);
    return state;
}

} // namespace lockstep
