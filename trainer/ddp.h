// SPDX-License-Identifier: GPL-3.0-or-later
// Distributed data parallelism: PyTorch's own c10d::Reducer, driven as torch.nn.parallel.DistributedDataParallel drives
// it. While backward runs, the gradients that are ready are summed over the ranks bucket by bucket and divided by their
// number; when backward returns, every rank has the same mean gradients.
#pragma once

#include "trainer/processgroup.h"

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <functional>
#include <memory>

namespace lockstep::trainer {

struct DdpOptions {
    double bucketMib = 25;
    double firstBucketMib = 1;
};

class Ddp {
public:
    // Broadcasts parameters and buffers from rank 0. `gradientReady` is called for every parameter whose local gradient
    // is complete; the last such call of a backward ends the rank's own compute.
    Ddp(ProcessGroup& group, torch::nn::Module& module, const DdpOptions& options, std::function<void()> gradientReady);
    ~Ddp(); // before the process group's end

    // Runs `loss` and prepares the reducer for its backward.
    [[nodiscard]] at::Tensor forward(const std::function<at::Tensor()>& loss);

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace lockstep::trainer
