// SPDX-License-Identifier: GPL-3.0-or-later
// The `stop` verb: through the run's supervisor while it lives, by the tag when it is lost.
#pragma once

#include <string>

namespace lockstep::agent {

[[nodiscard]] int runStop(const std::string& run, int graceS, int out);

} // namespace lockstep::agent
