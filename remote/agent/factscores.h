// SPDX-License-Identifier: GPL-3.0-or-later
// How much of the machine this process may use: its CPU affinity, and the limits of its control groups (a container, a
// batch system, a user's slice), which may be lower than what the machine has.
#pragma once

#include "core/wire/encoder.h"

#include <optional>
#include <string>

namespace lockstep::agent {

[[nodiscard]] int usableCores(); // by affinity

struct CgroupLimits { // missing: not limited
    std::optional<double> cores;
    std::optional<double> memory; // bytes
};

// Of cgroup 2 or 1, whichever has a limit.
[[nodiscard]] CgroupLimits cgroupLimits(const std::string& procRoot, const std::string& sysRoot);

// cpus: those of this process's affinity, 0-3,8-11; numa/N/id and numa/N/cpus: of these, which lie together.
void appendCpus(wire::Encoder& record, const std::string& sysRoot);

} // namespace lockstep::agent
