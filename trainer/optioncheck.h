// SPDX-License-Identifier: GPL-3.0-or-later
// Options that do not fit together. What was typed and would have no effect is refused too: nothing is ignored.
#pragma once

#include "trainer/options.h"

namespace lockstep::trainer {

void refuseContradictions(const Options& options); // throws Failure(Options) that names both options

} // namespace lockstep::trainer
