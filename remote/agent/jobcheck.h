// SPDX-License-Identifier: GPL-3.0-or-later
// What can be known before anything is started.
#pragma once

#include "remote/agent/job.h"
#include "remote/agent/outcome.h"

#include <set>
#include <string>

namespace lockstep::agent {

[[nodiscard]] std::set<std::string> devicesOf(const RankJob& rank); // those that its CUDA_VISIBLE_DEVICES names

// Programs, working directory, room on the disk; leftovers of earlier runs and, unless the job shares its devices,
// devices held by living ones (code busy).
[[nodiscard]] Outcome<void> checkJob(const Job& job, const std::string& runsFolder);

} // namespace lockstep::agent
