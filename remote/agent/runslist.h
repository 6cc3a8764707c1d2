// SPDX-License-Identifier: GPL-3.0-or-later
// The runs that have a folder on this node.
#pragma once

#include "remote/agent/job.h"
#include "remote/agent/outcome.h"

#include <string>
#include <vector>

namespace lockstep::agent {

[[nodiscard]] std::vector<std::string> runNames(const std::string& runsFolder); // sorted
[[nodiscard]] Outcome<std::string> findRun(const std::string& run);             // its folder; code not_found
[[nodiscard]] Outcome<std::string> readJobText(const std::string& runFolder);
[[nodiscard]] Outcome<Job> readJob(const std::string& runFolder);
[[nodiscard]] std::string jobPath(const std::string& runFolder);

} // namespace lockstep::agent
