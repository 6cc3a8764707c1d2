// SPDX-License-Identifier: GPL-3.0-or-later
// Batch norm over the batches of all ranks, as torch.nn.SyncBatchNorm: one all-gather of (mean, spread, count) in
// forward, one all-reduce of two sums in backward. Ranks may have batches of different sizes. On CUDA by LibTorch's
// kernels, which want no empty one; on the CPU, where it has none, written out.
//
// Equals batch norm of the joined batch but for rounding: within 1e-5 of the largest element, because sums are taken by
// rank first. Weight and bias get this rank's part of their gradient, which the reducer then averages.
#pragma once

#include "trainer/models/model.h"

#include <functional>

namespace lockstep::trainer {

// What it needs of a process group.
struct BatchNormPeers {
    int world = 1;
    std::function<Tensors(const at::Tensor&)> allGather; // every rank's, by rank
    std::function<void(at::Tensor&)> sum;                // in place
};

// Turns every batch norm of the model, and gives their number. Throws Failure(Options) that names a module which is a
// batch norm of another kind (torch::nn's, or a scripted one), or that says that there is none. With one rank nothing
// is turned.
std::size_t convertSyncBatchNorm(Model& model, const BatchNormPeers& peers);

} // namespace lockstep::trainer
