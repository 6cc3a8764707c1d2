// SPDX-License-Identifier: GPL-3.0-or-later
// The `list` verb: how each run on this node stands. The `about` verb: what one of them is, for a desktop that did not
// launch it.
#pragma once

#include <string>

namespace lockstep::agent {

[[nodiscard]] int runList(int out);
[[nodiscard]] int runAbout(const std::string& run, int out);

} // namespace lockstep::agent
