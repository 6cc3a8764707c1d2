// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a run that has failed is started again, and from where. Pure, tested as tables.
#pragma once

#include "core/runspec.h"
#include "core/runstate.h"

#include <chrono>

namespace lockstep {

enum class Again {
    No,
    OtherPort,  // the master's port was taken between the plan and the start: once, and no restart of the spec's
    NewAttempt, // `restarts` of the spec
};

struct AttemptsSoFar {
    int restarts = 0;         // of the spec's that were used
    bool portRetried = false; // a port that is taken again is somebody's for good
    bool portTaken = false;   // this attempt's ranks said so
    bool wouldRepeat = false; // what failed fails again: a world of the wrong size
};

// Of a run whose nodes have all ended, with proof.
[[nodiscard]] Again startAgain(const RunSpec& spec, const RunState& state, const AttemptsSoFar& soFar);

// 2 s, 4 s, 8 s ... 60 s before the first, second, third restart: a node that reboots is worth waiting for.
[[nodiscard]] std::chrono::seconds pauseBefore(int restart);

// The spec of an attempt after the first: goes on from the newest checkpoint that all ranks have, which is rank 0's,
// for rank 0 writes it when all have reached the step and reads it for all. While this run has written none, a spec
// that resumes from elsewhere does so again.
enum class Checkpoints { None, Written };
[[nodiscard]] RunSpec resumed(const RunSpec& spec, Checkpoints ofThisRun);

} // namespace lockstep
