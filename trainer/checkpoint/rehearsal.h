// SPDX-License-Identifier: GPL-3.0-or-later
// A forward and backward that count for nothing, before a checkpoint is restored. The reducer orders its buckets by the
// first backward of its life, and the order of sums decides their last bits: after it, a resumed run sums as the one
// that was interrupted.
#pragma once

#include "trainer/data/loader.h"
#include "trainer/data/sampler.h"
#include "trainer/optimizer.h"
#include "trainer/parallel/strategy.h"

namespace lockstep::trainer {

// All ranks together. Leaves no gradients, and the buffers as they were: there may be no checkpoint to restore.
void rehearse(Loader& loader, const DistributedSampler& sampler, Model& model, Strategy& strategy, Optimizer& optimizer,
              const Device& device, StepClock& clock);

} // namespace lockstep::trainer
