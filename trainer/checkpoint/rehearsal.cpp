// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/checkpoint/rehearsal.h"

#include "trainer/evaluation.h"

#include <ATen/ATen.h>

namespace lockstep::trainer {

void rehearse(Loader& loader, const DistributedSampler& sampler, Model& model, Strategy& strategy, Optimizer& optimizer,
              const Device& device, StepClock& clock)
{
    std::vector<at::Tensor> before;
    for (const at::Tensor& buffer : model.buffers())
        before.push_back(buffer.detach().clone());

    clock.hold(); // it is no part of the first step
    loader.begin(sampler.share(0, 0), {});
    const Batch batch = toDevice(loader.next(), device);
    const StandInScope standIn(model, batch);
    strategy.backward(strategy.forward(batch, Sync::Now));
    optimizer.zeroGradients();
    clock.release();

    const std::vector<at::Tensor> buffers = model.buffers();
    for (std::size_t i = 0; i < buffers.size(); ++i)
        buffers[i].detach().copy_(before[i]);
}

} // namespace lockstep::trainer
