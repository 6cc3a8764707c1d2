// SPDX-License-Identifier: GPL-3.0-or-later
// Puts a supervisor into the background: own session, no terminal, init's child.
#pragma once

#include "remote/agent/job.h"
#include "remote/agent/outcome.h"

#include <string>

namespace lockstep::agent {

// Returns when it has been forked; the spool says `prepared` when it stands. Its words go to supervisor.log in the
// run's folder.
[[nodiscard]] Outcome<void> startSupervisor(const Job& job, const std::string& runFolder);

} // namespace lockstep::agent
