// SPDX-License-Identifier: GPL-3.0-or-later
// `bundles`: one `bundle` record for each bundle in this node's cache. `forget HASH...`: removes them, and the contents
// that no other bundle has; never one that a run uses. `forget frames`: what a relay kept.
#pragma once

#include <string>
#include <vector>

namespace lockstep::agent {

[[nodiscard]] int runBundles(int out);
[[nodiscard]] int runForget(const std::vector<std::string>& hashes, int out);

} // namespace lockstep::agent
