// SPDX-License-Identifier: GPL-3.0-or-later
// Puts a supervisor into the background, where it survives what it can: in a scope of the user's systemd where that
// outlives the logins, else in a session of its own; without a terminal, init's child.
#pragma once

#include "remote/agent/job.h"
#include "remote/agent/outcome.h"

#include <string>

namespace lockstep::agent {

// Returns when it has been forked; the spool says `prepared` when it stands, and where. Its words go to supervisor.log
// in the run's folder. A scope that does not come is waited for, 5 s at most.
[[nodiscard]] Outcome<void> startSupervisor(const Job& job, const std::string& runFolder);

// The `supervise` verb, which only startSupervisor() uses: this process is the supervisor of the run from now on.
[[nodiscard]] int runSupervise(const std::string& run);

} // namespace lockstep::agent
