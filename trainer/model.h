// SPDX-License-Identifier: GPL-3.0-or-later
// The networks. Modules carry the names and are made in the order of their Python twins (tests/bench/twin.py), so that
// one seed gives the same weights in both languages and a checkpoint loads without renaming.
#pragma once

#include "trainer/options.h"

#include <torch/nn/module.h>

#include <memory>

namespace lockstep::trainer {

struct ImageShape {
    std::int64_t channels = 1;
    std::int64_t height = 28;
    std::int64_t width = 28;
    std::int64_t classes = 10;
};

class Model : public torch::nn::Module {
public:
    [[nodiscard]] virtual at::Tensor forward(const at::Tensor& images) = 0; // N×C×H×W floats -> N×classes
};

[[nodiscard]] std::shared_ptr<Model> makeModel(ModelKind kind, const ImageShape& shape);

} // namespace lockstep::trainer
