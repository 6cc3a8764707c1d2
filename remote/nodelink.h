// SPDX-License-Identifier: GPL-3.0-or-later
// A node that can be talked to: connected, with the agent in place; and what it said of itself. Any worker thread.
#pragma once

#include "core/clockoffset.h"
#include "core/nodefacts.h"
#include "remote/runparts.h"

namespace lockstep {

struct NodeLink {
    std::shared_ptr<Transport> transport; // shared by the flow of the moment and whoever stops it
    PlacedAgent agent;
};

[[nodiscard]] Result<NodeLink> openNode(const TransportFactory& transports, const Node& node, const AgentFile& agent,
                                        std::stop_token stop);

[[nodiscard]] Result<NodeLink> openNode(std::shared_ptr<Transport> transport, const AgentFile& agent,
                                        std::stop_token stop);

struct Probed {
    NodeFacts facts;
    ClockOffset clock;
    double roundTripMs = -1; // the least
};
// Facts and clock in one exchange.
[[nodiscard]] Result<Probed> probeNode(const NodeLink& link, std::stop_token stop);

} // namespace lockstep
