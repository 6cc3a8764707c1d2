// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/checkpoint/rehearsal.h"

#include "trainer/evaluation.h"

namespace lockstep::trainer {

void rehearse(Loader& loader, const DistributedSampler& sampler, Model& model, Strategy& strategy, Optimizer& optimizer,
              const Device& device)
{
    loader.begin(sampler.share(0, 0), {});
    const Batch batch = toDevice(loader.next(), device);
    const StandInScope standIn(model, batch);
    strategy.backward(strategy.forward(batch, Sync::Now));
    optimizer.zeroGradients();
}

} // namespace lockstep::trainer
