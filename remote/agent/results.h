// SPDX-License-Identifier: GPL-3.0-or-later
// `results RUN`: the files that the desktop wants of a run, while it goes on and to its end (README.md, "Results").
#pragma once

#include <string>

namespace lockstep::agent {

[[nodiscard]] int runResults(const std::string& run, int in, int out);

} // namespace lockstep::agent
