// SPDX-License-Identifier: GPL-3.0-or-later
// The parameters as one number, to see that all ranks hold the same bits, and as a file, to see which.
#pragma once

#include "trainer/parallel/strategy.h"

#include <string>

namespace lockstep::trainer {

// All ranks together, whatever each holds of them.
[[nodiscard]] std::string fingerprint(Strategy& strategy); // XXH64 of their bytes, 16 hex digits
// Their bytes, one after the other; throw Failure(Output).
void dumpParameters(Strategy& strategy, const std::string& path);
void dumpGradients(Strategy& strategy, const std::string& path);

} // namespace lockstep::trainer
