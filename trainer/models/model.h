// SPDX-License-Identifier: GPL-3.0-or-later
// What a network is to the trainer. A header alone, so that a network of the user's own, built as a shared object
// (cmake/LockstepModel.cmake, examples/model), needs this file and LibTorch and nothing of the program.
#pragma once

#include "trainer/data/dataset.h"
#include "trainer/models/block.h"

#include <ATen/ATen.h>
#include <torch/version.h>

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

    // Both at once, for a model whose forward is given the targets too.
    [[nodiscard]] virtual at::Tensor lossOf(const at::Tensor& inputs, const at::Tensor& targets)
    {
        return loss(forward(inputs), targets);
    }

    // What wants to do something around each block wraps the runner that is there.
    [[nodiscard]] const std::shared_ptr<BlockRunner>& blockRunner() const { return m_runner; }
    void setBlockRunner(std::shared_ptr<BlockRunner> runner) { m_runner = std::move(runner); }

protected:
    [[nodiscard]] Tensors run(Block& block, const Tensors& inputs) { return m_runner->run(block, inputs); }
    [[nodiscard]] at::Tensor run(Block& block, const at::Tensor& input) { return run(block, Tensors{input}).front(); }

private:
    std::shared_ptr<BlockRunner> m_runner = std::make_shared<BlockRunner>();
};

// What the shared object of a user's network exports, under kModelEntryName. The first two members are looked at before
// anything else of it is used: what it was built against must be what runs.
struct ModelEntry {
    int abi;
    const char* torchVersion;
    std::shared_ptr<Model> (*make)(const ModelOptions& options, const SampleShape& shape);
};

inline constexpr int kModelAbi = 1; // one more whenever this header, block.h or what they include changes
inline constexpr char kModelEntryName[] = "lockstepModel";
using ModelEntryFunction = const ModelEntry* (*)();

} // namespace lockstep::trainer

// Once in a source file, outside any namespace: --model library trains Class, made from (options, shape).
#define LOCKSTEP_MODEL(Class)                                                                                          \
    extern "C" __attribute__((visibility("default"))) const lockstep::trainer::ModelEntry* lockstepModel()             \
    {                                                                                                                  \
        using namespace lockstep::trainer;                                                                             \
        static const ModelEntry entry{                                                                                 \
            kModelAbi, TORCH_VERSION,                                                                                  \
            [](const ModelOptions& options, const SampleShape& shape) -> std::shared_ptr<Model> {                      \
                return std::make_shared<Class>(options, shape);                                                        \
            }};                                                                                                        \
        return &entry;                                                                                                 \
    }
