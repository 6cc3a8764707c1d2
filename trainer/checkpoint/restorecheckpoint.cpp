// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/checkpoint/checkpoint.h"

#include <ATen/ATen.h>

namespace lockstep::trainer {

namespace {

void shareProgress(ProcessGroup& group, Progress& progress)
{
    at::Tensor counts = at::tensor({progress.step, progress.epoch, progress.takenOfEpoch, progress.seed}, at::kLong);
    at::Tensor best = at::tensor({progress.bestLoss}, at::kDouble);
    group.broadcast({counts});
    group.broadcast({best});
    progress = {counts[0].item<std::int64_t>(), counts[1].item<std::int64_t>(), counts[2].item<std::int64_t>(),
                counts[3].item<std::int64_t>(), best.item<double>()};
}

void shareScaler(ProcessGroup& group, GradScaler& scaler, GradScaler::State state)
{
    if (!scaler.enabled())
        return;
    at::Tensor both = at::tensor({state.scale, static_cast<double>(state.growthTracker)}, at::kDouble);
    group.broadcast({both});
    state.scale = both[0].item<double>();
    state.growthTracker = static_cast<std::int64_t>(both[1].item<double>());
    scaler.restore(state);
}

// Each rank's own, where there are as many ranks as before; else the first has those of all.
EpochMean::Sums ownMean(ProcessGroup& group, const std::vector<EpochMean::Sums>& saved)
{
    at::Tensor count = at::tensor({static_cast<std::int64_t>(saved.size())}, at::kLong);
    group.broadcast({count});
    at::Tensor sums = at::zeros({count.item<std::int64_t>(), 2}, at::kDouble);
    for (std::size_t i = 0; i < saved.size(); ++i) {
        sums[static_cast<std::int64_t>(i)][0] = saved[i].loss;
        sums[static_cast<std::int64_t>(i)][1] = saved[i].samples;
    }
    if (sums.numel() == 0)
        return {};
    group.broadcast({sums});
    const bool asMany = sums.size(0) == group.world();
    if (!asMany && group.rank() > 0)
        return {};
    const at::Tensor own = asMany ? sums[group.rank()] : sums.sum(0);
    return {own[0].item<double>(), own[1].item<double>()};
}

} // namespace

void restoreCheckpoint(const SavedState* saved, TrainingState& state)
{
    const at::NoGradGuard noGrad;
    const std::vector<ModelTensor> places = modelState(state.model);
    std::vector<at::Tensor> trained(trainedCount(places));
    std::vector<at::Tensor> others; // buffers, and parameters that are not trained: whole on every rank
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i].trained && saved != nullptr) {
            trained[*places[i].trained] = saved->m_model[i];
        } else if (!places[i].trained && !places[i].sameAs) {
            others.push_back(places[i].tensor.detach());
            if (saved != nullptr)
                others.back().copy_(saved->m_model[i]);
        }
    }
    state.group.barrier(ProcessGroup::kDiskPatience);
    state.group.broadcast(others);
    state.strategy.scatter([&](std::size_t parameter) { return trained[parameter]; }, state.strategy.parameters());

    const std::vector<Optimizer::State>& parts = state.optimizer.state();
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto saveds = [&](std::size_t parameter) {
            const at::Tensor& tensor = saved->m_optimizer[i][parameter];
            if (tensor.defined())
                return tensor;
            const bool isCount = parts[i].tensors[parameter].dim() == 0;
            return at::zeros(isCount ? at::IntArrayRef() : trained[parameter].sizes()); // what optimisers begin with
        };
        state.strategy.scatter(saveds, parts[i].tensors);
    }
    if (saved != nullptr)
        state.progress = saved->progress();
    shareProgress(state.group, state.progress);
    state.mean.restore(ownMean(state.group, saved == nullptr ? std::vector<EpochMean::Sums>{} : saved->m_means));
    shareScaler(state.group, state.scaler, saved == nullptr ? GradScaler::State{} : saved->m_scaler);
    state.optimizer.stateWasLoaded(state.progress.step);
}

} // namespace lockstep::trainer
