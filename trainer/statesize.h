// SPDX-License-Identifier: GPL-3.0-or-later
// What a rank holds of the model at the end of a step, before gradients are dropped: all of it under ddp, its share
// under fsdp.
#pragma once

#include "trainer/optimizer.h"
#include "trainer/parallel/strategy.h"

namespace lockstep::trainer {

// parameter_bytes, gradient_bytes, optimizer_bytes, of the tensors that are there now.
[[nodiscard]] Facts stateSize(const Strategy& strategy, const Optimizer& optimizer);

} // namespace lockstep::trainer
