// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/resume.h"

#include <ATen/ATen.h>

namespace lockstep::trainer {

Progress resume(const std::string& path, Model& model, Optimizer& optimizer, ProcessGroup& group,
                const Progress& wanted)
{
    Progress progress = wanted;
    if (group.rank() == 0)
        progress = loadCheckpoint(path, model, optimizer, wanted);

    at::Tensor counts = at::tensor({progress.step, progress.epoch, progress.batchInEpoch}, at::kLong);
    group.broadcast({counts});
    progress.step = counts[0].item<std::int64_t>();
    progress.epoch = counts[1].item<std::int64_t>();
    progress.batchInEpoch = counts[2].item<std::int64_t>();
    progress.batch = wanted.batch;
    progress.world = wanted.world;
    progress.seed = wanted.seed;

    std::vector<at::Tensor> state;
    for (const at::Tensor& parameter : model.parameters())
        state.push_back(parameter.detach());
    for (const at::Tensor& buffer : model.buffers())
        state.push_back(buffer.detach());
    for (const Optimizer::State& part : optimizer.state())
        state.insert(state.end(), part.tensors.begin(), part.tensors.end());
    group.broadcast(state);
    optimizer.stateWasLoaded(progress.step);
    return progress;
}

} // namespace lockstep::trainer
