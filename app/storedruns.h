// SPDX-License-Identifier: GPL-3.0-or-later
// The verbs that only read what lies here: runs, show, logs.
#pragma once

#include "app/options.h"
#include "core/runstore.h"

namespace lockstep {

[[nodiscard]] int storedRuns(const Options& options, const DataFolder& folder);
[[nodiscard]] QString runText(const RunData& data); // what `show` prints; `run` prints it at its end

} // namespace lockstep
