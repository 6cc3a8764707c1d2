// SPDX-License-Identifier: GPL-3.0-or-later
// `lockstep-agent stop`: ends a run's part on this node and proves it (README.md, "The end").
#pragma once

#include "remote/agent/outcome.h"

#include <string>

namespace lockstep::agent {

enum class StopBy {
    Person, // the run is over for good: no further attempt of it starts here
    Driver, // the program that drives the run ends what a failed attempt left, and may start another
};

struct StopWish {
    int graceS = 10;
    StopBy by = StopBy::Person;
};

[[nodiscard]] int runStop(const std::string& run, const StopWish& wish, int out);

// Whether a person has stopped the run on this node. Code stopped.
[[nodiscard]] Outcome<void> checkStillWanted(const std::string& runFolder);

} // namespace lockstep::agent
