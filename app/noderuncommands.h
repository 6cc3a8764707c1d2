// SPDX-License-Identifier: GPL-3.0-or-later
// What is on the nodes, whichever desktop of this user has launched it: nodes runs, nodes clean, and runs that are
// taken over for attach and stop. Thread: main, which waits.
#pragma once

#include "app/desk.h"
#include "app/options.h"
#include "core/storethread.h"

namespace lockstep {

[[nodiscard]] int listNodeRuns(const Options& options, const Desk& desk);
[[nodiscard]] int cleanNodes(const Options& options, const Desk& desk);

// The id of the run on the nodes of --nodes that options.target means, from now on in the store.
[[nodiscard]] Result<QString> adoptRun(const Options& options, const Desk& desk, StoreThread& store);

} // namespace lockstep
