// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/nodelink.h"

#include "core/wire/encoder.h"
#include "remote/agentcall.h"
#include "remote/clockcheck.h"

namespace lockstep {

namespace {

using namespace std::chrono_literals;

constexpr auto kConnectTime = 9s; // a black hole is reported within 10 s
constexpr auto kPlaceTime = 120s; // 3 MB over a bad line, after a login shell that takes seconds
constexpr auto kProbeTime = 30s;  // a sick GPU driver has its own, shorter deadline in the agent

Result<NodeFacts> factsOf(const AgentRecord& answer)
{
    std::string line;
    wire::Encoder encoder(line);
    encoder.begin(answer.kind, answer.rank, answer.timeUs);
    for (const auto& [key, value] : answer.fields)
        encoder.field(key, value);
    encoder.end();
    Result<NodeFacts> facts;
    wire::Decoder().feed(line, [&facts](const wire::RecordView& record) { facts = NodeFacts::fromRecord(record); });
    return facts;
}

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
    const Deadline deadline = Deadline::in(kProbeTime);
    auto call = AgentCall::start(*link.transport, link.agent.path, {"probe"}, deadline, stop);
    if (!call)
        return std::unexpected(call.error());
    const auto answer = call->expect("facts", deadline, stop);
    if (!answer)
        return std::unexpected(answer.error());
    const auto facts = factsOf(*answer);
    if (!facts)
        return std::unexpected(facts.error());
    Probed probed{*facts, {}, -1};
    if (link.transport->node().local) {
        probed.clock.addAnswer(0, 0, 0); // one clock
        probed.roundTripMs = 0;
        return probed;
    }
    auto clock = askClock(*call, deadline, stop);
    if (!clock)
        return std::unexpected(clock.error());
    probed.clock = *clock;
    probed.roundTripMs = static_cast<double>(clock->roundTripUs()) / 1000.0;
    return probed;
}

} // namespace lockstep
