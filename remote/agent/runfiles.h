// SPDX-License-Identifier: GPL-3.0-or-later
// The user's folder that goes with a run: a bundle like any other, copied into the run's folder, for ranks write where
// they work and the bundle's contents are shared.
#pragma once

#include "remote/agent/job.h"
#include "remote/agent/outcome.h"

#include <string>

namespace lockstep::agent {

// Where the ranks work: the job's directory, inside the copy where it is relative; else the copy, else the run's
// folder.
[[nodiscard]] std::string workingFolder(const Job& job, const std::string& runFolder);

// Makes the copy, and the working folder inside it. A later attempt goes on in the first one's: its checkpoints are
// there. Failure bad_job, disk.
[[nodiscard]] Outcome<void> copyFiles(const Job& job, const std::string& runFolder);

// True for a file of the copy that is still as it was sent.
[[nodiscard]] bool isAsSent(const Job& job, const std::string& runFolder, const std::string& path);

} // namespace lockstep::agent
