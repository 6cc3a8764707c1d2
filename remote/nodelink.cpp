// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/nodelink.h"

#include "core/wire/kinds.h"
#include "remote/agentcall.h"
#include "remote/wallclock.h"

namespace lockstep {

namespace {

using namespace std::chrono_literals;

constexpr auto kConnectTime = 9s; // a black hole is reported within 10 s
constexpr auto kPlaceTime = 120s; // 3 MB over a bad line, after a login shell that takes seconds
constexpr auto kProbeTime = 30s;  // a sick GPU driver has its own, shorter deadline in the agent
constexpr qsizetype kMaxFactsBytes = 256 << 10;

} // namespace

Result<NodeLink> openNode(const TransportFactory& transports, const Node& node, const AgentFile& agent,
                          std::stop_token stop)
{
    return openNode(transports(node), agent, stop);
}

Result<NodeLink> openNode(std::shared_ptr<Transport> transport, const AgentFile& agent, std::stop_token stop)
{
    NodeLink link{std::move(transport), {}};
    if (auto connected = link.transport->connect(Deadline::in(kConnectTime), stop); !connected)
        return std::unexpected(connected.error());
    auto placed = placeAgent(*link.transport, agent, Deadline::in(kPlaceTime), stop);
    if (!placed)
        return std::unexpected(placed.error());
    link.agent = *placed;
    return link;
}

Result<Probed> probeNode(const NodeLink& link, std::stop_token stop)
{
    const QString& node = link.transport->node().name;
    const auto begin = std::chrono::steady_clock::now();
    const qint64 asked = wallClockUs();
    auto answer = link.transport->run({link.agent.path, "probe"}, {}, Deadline::in(kProbeTime), stop);
    const qint64 answered = wallClockUs();
    if (!answer)
        return std::unexpected(answer.error());
    std::optional<Result<NodeFacts>> facts;
    wire::Decoder decoder;
    if (answer->out.size() <= kMaxFactsBytes)
        decoder.feed({answer->out.constData(), static_cast<std::size_t>(answer->out.size())},
                     [&](const wire::RecordView& record) {
                         if (record.kind == "facts")
                             facts = NodeFacts::fromRecord(record);
                         else if (record.kind == wire::kind::kError && !facts)
                             facts = std::unexpected(agentError(AgentRecord::from(record), node));
                     });
    if (!facts)
        return failure(ErrorCode::Protocol,
                       QStringLiteral("%1 was asked for its facts and answered “%2” (exit code %3)")
                           .arg(node, QString::fromUtf8(answer->out.left(80)).simplified())
                           .arg(answer->exitCode),
                       node);
    if (!*facts)
        return std::unexpected(facts->error());
    Probed probed{**facts, {}, -1};
    probed.roundTripMs = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    const qint64 there = probed.facts.wallUs;
    if (link.transport->node().local)
        probed.clock.addAnswer(there, there, there); // one clock: what lies between is the time of the answer
    else if (there > 0)
        probed.clock.addAnswer(asked, there, answered);
    return probed;
}

} // namespace lockstep
