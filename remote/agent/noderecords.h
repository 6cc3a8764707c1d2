// SPDX-License-Identifier: GPL-3.0-or-later
// What a spool says of the node's part of a run (core/wire/kinds.h), appended to `out` with the time of the call.
#pragma once

#include "remote/agent/job.h"
#include "remote/agent/processtable.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::agent {

void appendHello(std::string& out, const Job& job);
void appendClock(std::string& out);
void appendNodePhase(std::string& out, std::string_view phase, std::string_view reason); // an empty reason is left out
// askedGraceS: a person asked for it, with so much patience.
void appendStopping(std::string& out, std::string_view reason, std::optional<int> askedGraceS);

struct Proof {
    std::string reason; // how the run ended here
    std::size_t gone = 0;
    std::vector<ProcessId> left;
    std::size_t gpusFree = 0, gpusHeld = 0; // of the run's: seen free of it, or not; else unknown
    std::optional<int> askedGraceS;         // as above
};
void appendEnded(std::string& out, const Proof& proof); // the last record of a spool

} // namespace lockstep::agent
