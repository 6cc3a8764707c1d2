// SPDX-License-Identifier: GPL-3.0-or-later
// The `list` verb: how each run on this node stands.
#pragma once

namespace lockstep::agent {

[[nodiscard]] int runList(int out);

} // namespace lockstep::agent
