// SPDX-License-Identifier: GPL-3.0-or-later
// How a run on this node stands, from its lock and the end of its spool.
#pragma once

#include "remote/agent/outcome.h"

#include <optional>
#include <string>
#include <sys/types.h>

namespace lockstep::agent {

enum class RunStanding {
    Running, // its supervisor lives
    Ended,   // the spool ends with the last record
    Lost,    // neither
};
[[nodiscard]] const char* toString(RunStanding standing);

struct NodePhase {     // the last `phase -` record near the end of a spool
    std::string phase; // empty: none
    std::string reason;
    int gone = 0;
    int left = 0;
    bool last = false; // nothing stands after it

    bool operator==(const NodePhase&) const = default;
};

struct RunStatus {
    RunStanding standing = RunStanding::Lost;
    pid_t supervisor = 0;
    NodePhase phase;

    bool operator==(const RunStatus&) const = default;
};

[[nodiscard]] NodePhase lastPhase(const std::string& runFolder);
[[nodiscard]] RunStatus runStatus(const std::string& runFolder);

} // namespace lockstep::agent
