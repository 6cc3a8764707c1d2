// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/models/cnn.h"

#include "trainer/failure.h"
#include "trainer/models/linear.h"

#include <torch/nn/modules/conv.h>

#include <algorithm>

namespace lockstep::trainer {

namespace {

using torch::nn::Conv2d;

constexpr std::int64_t kWidth = 32;
constexpr std::int64_t kDepth = 2;

struct CnnShape {
    std::int64_t width = kWidth;
    std::int64_t depth = kDepth;
    double dropout = 0;
};

class Cnn : public Model {
public:
    Cnn(const CnnShape& own, const SampleShape& shape) : m_dropout(own.dropout)
    {
        std::int64_t in = shape.channels;
        std::int64_t out = own.width;
        for (std::int64_t i = 1; i <= own.depth; ++i) {
            const auto options = torch::nn::Conv2dOptions(in, out, 3).padding(1);
            m_convolutions.push_back(register_module("conv" + std::to_string(i), Conv2d(options)));
            in = out;
            out *= 2;
        }
        const std::int64_t hidden = 4 * own.width;
        fc1 = register_module("fc1", Linear(in * (shape.height >> own.depth) * (shape.width >> own.depth), hidden));
        fc2 = register_module("fc2", Linear(hidden, shape.classes));
    }

    at::Tensor forward(const at::Tensor& images) override
    {
        at::Tensor x = images;
        for (Conv2d& convolution : m_convolutions)
            x = at::max_pool2d(at::relu(convolution(x)), 2);
        x = at::dropout(at::relu(fc1(x.flatten(1))), m_dropout, is_training());
        return fc2(x);
    }

private:
    double m_dropout;
    std::vector<Conv2d> m_convolutions;
    Linear fc1{nullptr};
    Linear fc2{nullptr};
};

} // namespace

std::shared_ptr<Model> makeCnn(const ModelOptions& options, const SampleShape& shape)
{
    CnnShape own{.dropout = options.dropout};
    if (options.width > 0)
        own.width = options.width;
    if (options.depth > 0)
        own.depth = options.depth;
    const std::int64_t side = std::min(shape.height, shape.width);
    if (own.depth >= 16 || side >> own.depth == 0) // each convolution is pooled by 2, and doubles the channels
        throw Failure(ExitCode::Options, "a cnn of --depth " + std::to_string(own.depth) +
                                             " halves its images so often, and these have only " +
                                             std::to_string(shape.height) + "×" + std::to_string(shape.width) +
                                             " pixels");
    return std::make_shared<Cnn>(own, shape);
}

} // namespace lockstep::trainer
