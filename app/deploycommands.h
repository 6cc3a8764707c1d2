// SPDX-License-Identifier: GPL-3.0-or-later
// The verbs about what lies on nodes and comes from them: deploy, bundles, results. Thread: main.
#pragma once

#include "app/desk.h"
#include "app/options.h"

namespace lockstep {

[[nodiscard]] int deployCommand(const Options& options, const Desk& desk);
[[nodiscard]] int bundlesCommand(const Options& options, const Desk& desk); // list and remove

} // namespace lockstep
