// SPDX-License-Identifier: GPL-3.0-or-later
// A bundle sent once and passed on among the nodes, in rounds: after each, twice as many have it. A node listens only
// while it serves, on the one address that the other was told, and only to a word that the desktop gave both over SSH,
// once; what comes is checked against SHA-256 sums that came over SSH too. A node that can't be served so is left to be
// sent to: nothing depends on a relay. Worker thread.
#pragma once

#include "remote/noderuntime.h"

#include <vector>

namespace lockstep {

struct RelayNode {
    NodeLink* link = nullptr;
    NodeFacts facts;
    std::optional<Deployed> deployed; // out
    bool passedOn = false;            // out: it came from another node
};

void relayBundle(std::vector<RelayNode>& nodes, const Program& program,
                 const std::function<void(std::size_t index, const QString& words)>& progressed, std::stop_token stop);

} // namespace lockstep
