// SPDX-License-Identifier: GPL-3.0-or-later
// The `launch` verb: takes a job, prepares its supervisor, gives it `go` (README.md, "A launch").
#pragma once

#include <string>

namespace lockstep::agent {

[[nodiscard]] int runLaunch(const std::string& run, int in, int out);

} // namespace lockstep::agent
