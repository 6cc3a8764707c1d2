// SPDX-License-Identifier: GPL-3.0-or-later
// Ends every process of one run on this node, and only those: TERM, a grace time, KILL, again until none is found.
// Blocks: called by `stop` when the supervisor is lost, and by a child of the supervisor else.
#pragma once

#include "remote/agent/processtable.h"
#include "remote/agent/rankpipes.h"

#include <chrono>

namespace lockstep::agent {

struct SweepTarget {
    std::string runFolder; // the tag's value
    pid_t supervisor = 0;  // whose descendants belong to the run, tagged or not; 0: it is gone
    RankPipes pipes;       // when it is gone: what holds one belongs to the run, tagged or not

    bool operator==(const SweepTarget&) const = default;
};

[[nodiscard]] SweepTarget withoutSupervisor(const std::string& runFolder);

struct SweepResult {
    std::vector<ProcessId> gone; // found and ended
    std::vector<ProcessId> left; // still there at the deadline

    bool operator==(const SweepResult&) const = default;
};

[[nodiscard]] std::vector<ProcessId> findProcesses(const SweepTarget& target);
[[nodiscard]] SweepResult sweep(const SweepTarget& target, std::chrono::milliseconds grace);

} // namespace lockstep::agent
