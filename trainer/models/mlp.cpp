// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/models/mlp.h"

#include "trainer/models/linear.h"

namespace lockstep::trainer {

namespace {

class Mlp : public Model {
public:
    explicit Mlp(const SampleShape& shape)
    {
        fc1 = register_module("fc1", Linear(shape.inputs(), 256));
        fc2 = register_module("fc2", Linear(256, 128));
        fc3 = register_module("fc3", Linear(128, shape.classes));
    }

    at::Tensor forward(const at::Tensor& images) override
    {
        at::Tensor x = at::relu(fc1(images.flatten(1)));
        x = at::relu(fc2(x));
        return fc3(x);
    }

private:
    Linear fc1{nullptr};
    Linear fc2{nullptr};
    Linear fc3{nullptr};
};

} // namespace

std::shared_ptr<Model> makeMlp(const ModelOptions&, const SampleShape& shape)
{
    return std::make_shared<Mlp>(shape);
}

} // namespace lockstep::trainer
