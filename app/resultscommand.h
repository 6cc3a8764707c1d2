// SPDX-License-Identifier: GPL-3.0-or-later
// `lockstep results`: the files that were fetched of a run; with --fetch what is missing comes first. Thread: main,
// which waits.
#pragma once

#include "app/desk.h"
#include "app/options.h"

namespace lockstep {

[[nodiscard]] int resultsCommand(const Options& options, const Desk& desk);

} // namespace lockstep
