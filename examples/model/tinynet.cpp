// SPDX-License-Identifier: GPL-3.0-or-later
// A network of your own: built by the three lines of CMakeLists.txt, trained by
//
//     lockstep-trainer --model library --model-file tinynet.so --width 16 --depth 3
//
// It names its parts as any module does, runs its blocks through run(), so that they can be sharded and computed again,
// and uses the trainer's BatchNorm, so that it can be made synchronous. Of this repository it needs headers only.
#include "trainer/models/batchnorm.h"
#include "trainer/models/model.h"

#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <stdexcept>

namespace {

using lockstep::trainer::BatchNorm;
using lockstep::trainer::Tensors;
using torch::nn::Conv2d;

// Two streams side by side, each of which changes the other (Gomez et al. 2017): a block of two inputs and two outputs.
class Coupled : public lockstep::trainer::Block {
public:
    explicit Coupled(std::int64_t width)
    {
        const auto options = torch::nn::Conv2dOptions(width, width, 3).padding(1).bias(false);
        m_left = register_module("left", Conv2d(options));
        m_leftNorm = register_module("left_norm", BatchNorm(width));
        m_right = register_module("right", Conv2d(options));
        m_rightNorm = register_module("right_norm", BatchNorm(width));
    }

    Tensors forward(const Tensors& inputs) override
    {
        const at::Tensor left = inputs[0] + at::relu(m_leftNorm(m_left(inputs[1])));
        const at::Tensor right = inputs[1] + at::relu(m_rightNorm(m_right(left)));
        return {left, right};
    }

private:
    Conv2d m_left{nullptr};
    Conv2d m_right{nullptr};
    BatchNorm m_leftNorm{nullptr};
    BatchNorm m_rightNorm{nullptr};
};

class TinyNet : public lockstep::trainer::Model {
public:
    TinyNet(const lockstep::trainer::ModelOptions& options, const lockstep::trainer::SampleShape& shape)
    {
        if (shape.kind != lockstep::trainer::SampleKind::Image)
            throw std::invalid_argument("TinyNet takes images");
        const std::int64_t width = options.width > 0 ? options.width : 8;
        const std::int64_t depth = options.depth > 0 ? options.depth : 2;
        m_stem = register_module("stem",
                                 Conv2d(torch::nn::Conv2dOptions(shape.channels, 2 * width, 3).stride(2).padding(1)));
        for (std::int64_t i = 0; i < depth; ++i)
            m_blocks.push_back(register_module("block" + std::to_string(i), std::make_shared<Coupled>(width)));
        m_head = register_module("head", torch::nn::Linear(2 * width, shape.classes));
    }

    at::Tensor forward(const at::Tensor& images) override
    {
        Tensors streams = m_stem(images).chunk(2, 1);
        for (const auto& block : m_blocks)
            streams = run(*block, streams);
        return m_head(at::cat(streams, 1).mean({2, 3}));
    }

private:
    Conv2d m_stem{nullptr};
    std::vector<std::shared_ptr<Coupled>> m_blocks;
    torch::nn::Linear m_head{nullptr};
};

} // namespace

LOCKSTEP_MODEL(TinyNet)
