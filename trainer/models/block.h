// SPDX-License-Identifier: GPL-3.0-or-later
// A part of a model that is run as one: what FSDP gathers and frees together, and what activation checkpointing
// computes again. A model gives its blocks to its runner instead of calling them, and so knows of neither.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <vector>

namespace lockstep::trainer {

using Tensors = std::vector<at::Tensor>;

class Block : public torch::nn::Module {
public:
    [[nodiscard]] virtual Tensors forward(const Tensors& inputs) = 0;
};

class BlockRunner {
public:
    virtual ~BlockRunner() = default;
    [[nodiscard]] virtual Tensors run(Block& block, const Tensors& inputs) { return block.forward(inputs); }
};

} // namespace lockstep::trainer
