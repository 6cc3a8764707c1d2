// SPDX-License-Identifier: GPL-3.0-or-later
// The verbs that only read what lies here: runs, show, logs, export csv.
#pragma once

#include "app/options.h"
#include "core/runstore.h"

namespace lockstep {

[[nodiscard]] int listRuns(const Options& options, RunStore& store);
[[nodiscard]] int showRun(const Options& options, RunStore& store);
[[nodiscard]] int showLogs(const Options& options, RunStore& store);
[[nodiscard]] QString runText(const RunData& data); // what `show` prints; `run` prints it at its end

} // namespace lockstep
