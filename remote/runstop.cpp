// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/runstop.h"

#include "remote/agentcall.h"
#include "remote/pause.h"

namespace lockstep {

namespace {

using namespace std::chrono_literals;

constexpr auto kBeyondGrace = 30s; // KILL, the sweeps and the answer after the grace time

Result<StopProof> askOnce(const NodeLink& link, const QString& run, const StopWish& wish, std::stop_token stop)
{
    const QString& node = link.transport->node().name;
    const Deadline deadline = Deadline::in(std::chrono::seconds(wish.graceS) + kBeyondGrace);
    QList<QByteArray> words{"stop", run.toUtf8(), "--grace", QByteArray::number(wish.graceS)};
    if (wish.by == StopWish::By::Driver)
        words << "--by"
              << "driver";
    auto call = AgentCall::start(*link.transport, link.agent.path, words, deadline, stop);
    if (!call)
        return std::unexpected(call.error());
    auto record = call->expect("proof", deadline, stop);
    if (!record)
        return std::unexpected(record.error());
    const auto gone = record->integer("gone"), left = record->integer("left");
    if (!gone || !left)
        return failure(ErrorCode::Protocol, QStringLiteral("%1 stopped %2 and brought no proof").arg(node, run), node);
    return StopProof{static_cast<int>(*gone), static_cast<int>(*left)};
}

} // namespace

Result<StopProof> stopOnNode(const TransportFactory& transports, const Node& node, const AgentFile& agent,
                             const QString& run, const StopWish& wish, Deadline deadline, std::stop_token stop)
{
    BackOff backOff;
    Pause pause;
    for (;;) {
        auto link = openNode(transports, node, agent, stop);
        auto proof = link ? askOnce(*link, run, wish, stop) : Result<StopProof>(std::unexpected(link.error()));
        if (proof || !worthAnotherTry(proof.error().code) || stop.stop_requested())
            return proof;
        const auto wait = backOff.next();
        if (std::chrono::steady_clock::now() + wait >= deadline.at)
            return proof;
        pause.wait(wait, stop);
    }
}

} // namespace lockstep
