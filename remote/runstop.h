// SPDX-License-Identifier: GPL-3.0-or-later
// Ends a run on a node and brings the proof. Connects by itself and again, so that a cut link is waited out. Worker
// thread.
#pragma once

#include "remote/nodelink.h"

namespace lockstep {

struct StopProof {
    int gone = 0;
    int left = 0; // survivors; 0 is the proof

    bool operator==(const StopProof&) const = default;
};

struct StopWish {
    enum class By {
        Person, // the run is over for good, also for a program at another desktop that would start it again
        Driver, // this program, after a failure: another attempt may follow
    };
    int graceS = 10;
    By by = By::Person;
};

// NotFound: the node has no such run. The deadline is for everything, reconnecting included.
[[nodiscard]] Result<StopProof> stopOnNode(const TransportFactory& transports, const Node& node, const AgentFile& agent,
                                           const QString& run, const StopWish& wish, Deadline deadline,
                                           std::stop_token stop);

} // namespace lockstep
