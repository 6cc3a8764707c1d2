// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/models/cnn.h"

#include "trainer/failure.h"
#include "trainer/models/linear.h"

#include <torch/nn/modules/conv.h>

namespace lockstep::trainer {

namespace {

class Cnn : public Model {
public:
    explicit Cnn(const SampleShape& shape)
    {
        using torch::nn::Conv2d;
        using torch::nn::Conv2dOptions;
        conv1 = register_module("conv1", Conv2d(Conv2dOptions(shape.channels, 32, 3).padding(1)));
        conv2 = register_module("conv2", Conv2d(Conv2dOptions(32, 64, 3).padding(1)));
        fc1 = register_module("fc1", Linear(64 * (shape.height / 4) * (shape.width / 4), 128)); // pooled twice by 2
        fc2 = register_module("fc2", Linear(128, shape.classes));
    }

    at::Tensor forward(const at::Tensor& images) override
    {
        at::Tensor x = at::max_pool2d(at::relu(conv1(images)), 2);
        x = at::max_pool2d(at::relu(conv2(x)), 2);
        x = at::relu(fc1(x.flatten(1)));
        return fc2(x);
    }

private:
    torch::nn::Conv2d conv1{nullptr};
    torch::nn::Conv2d conv2{nullptr};
    Linear fc1{nullptr};
    Linear fc2{nullptr};
};

} // namespace

std::shared_ptr<Model> makeCnn(const ModelOptions&, const SampleShape& shape)
{
    if (shape.height < 4 || shape.width < 4)
        throw Failure(ExitCode::Data, "the cnn needs images of at least 4×4 pixels, these have " +
                                          std::to_string(shape.height) + "×" + std::to_string(shape.width));
    return std::make_shared<Cnn>(shape);
}

} // namespace lockstep::trainer
