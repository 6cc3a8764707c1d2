// SPDX-License-Identifier: GPL-3.0-or-later
// What can be known before anything is started.
#pragma once

#include "remote/agent/job.h"
#include "remote/agent/outcome.h"

#include <string>

namespace lockstep::agent {

// Programs, working directory, room on the disk; leftovers of earlier runs and devices held by living ones (code busy).
[[nodiscard]] Outcome<void> checkJob(const Job& job, const std::string& runsFolder);

} // namespace lockstep::agent
