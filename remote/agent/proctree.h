// SPDX-License-Identifier: GPL-3.0-or-later
// What a rank's process tree uses, 1 Hz. Children of the tree's main threads only (/proc/PID/task/PID/children):
// reading all of /proc every second would cost more than the supervisor's whole budget.
#pragma once

#include "remote/agent/processtable.h"

#include <cstdint>
#include <map>
#include <optional>

namespace lockstep::agent {

struct TreeUse {
    std::int64_t residentBytes = 0;
    std::optional<double> cpuPercent; // of one core; unknown in the first reading

    bool operator==(const TreeUse&) const = default;
};

class ProcessTree {
public:
    explicit ProcessTree(pid_t root) : m_root(root) {}

    [[nodiscard]] std::optional<TreeUse> read(std::int64_t nowUs); // nullopt: the root is gone

private:
    pid_t m_root;
    std::map<ProcessId, std::uint64_t> m_ticks;
    std::int64_t m_readUs = 0;
};

} // namespace lockstep::agent
