// SPDX-License-Identifier: GPL-3.0-or-later
// What a network is to the trainer. A header alone, so that a network of the user's own, built as a shared object
// (cmake/LockstepModel.cmake, examples/model), needs this file and LibTorch and nothing of the program.
#pragma once

#include "trainer/data/dataset.h"
#include "trainer/models/block.h"

#include <ATen/ATen.h>

#include <cstdint>
#include <memory>
#include <string>

namespace lockstep::trainer {

// The options that shape a network; 0: the model's own choice.
struct ModelOptions {
    std::int64_t width = 0;
    std::int64_t depth = 0;
    std::int64_t heads = 0;
    std::int64_t patch = 0;
    double dropout = 0;
    Positions positions = Positions::Learned;
    Attention attention = Attention::Fused;
};

class Model : public torch::nn::Module {
public:
    // N×C×H×W floats -> N×classes, or N×context tokens -> N×context×vocabulary.
    [[nodiscard]] virtual at::Tensor forward(const at::Tensor& inputs) = 0;

    // A scalar, the mean over the batch: with a sum, ranks and micro-batches of other sizes would weigh otherwise.
    [[nodiscard]] virtual at::Tensor loss(const at::Tensor& scores, const at::Tensor& targets)
    {
        return at::cross_entropy_loss(scores.flatten(0, -2), targets.flatten());
    }

    [[nodiscard]] const std::shared_ptr<BlockRunner>& blockRunner() const { return m_runner; }
    void setBlockRunner(std::shared_ptr<BlockRunner> runner) { m_runner = std::move(runner); }

protected:
    [[nodiscard]] Tensors run(Block& block, const Tensors& inputs) { return m_runner->run(block, inputs); }
    [[nodiscard]] at::Tensor run(Block& block, const at::Tensor& input) { return run(block, Tensors{input}).front(); }

private:
    std::shared_ptr<BlockRunner> m_runner = std::make_shared<BlockRunner>();
};

} // namespace lockstep::trainer
