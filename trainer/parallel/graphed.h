// SPDX-License-Identifier: GPL-3.0-or-later
// --cuda-graphs: another strategy's forward and backward, recorded once and then launched as two graphs, which saves
// the launches of their kernels one by one. Batches of the usual shape are copied to where the graphs read them; an
// epoch's last, smaller one runs as ever.
#pragma once

#include "trainer/device.h"
#include "trainer/parallel/strategy.h"

#include <memory>

namespace lockstep::trainer {

// `inner` itself without --cuda-graphs. Throws Failure(Options) with the reason where graphs cannot hold.
[[nodiscard]] std::unique_ptr<Strategy> withGraphs(const Options& options, const Device& device, int world,
                                                   StepClock& clock, std::unique_ptr<Strategy> inner);

// Why these options and this device cannot use graphs; empty when they can.
[[nodiscard]] std::string noGraphs(const Options& options, const Device& device, int world);

} // namespace lockstep::trainer
