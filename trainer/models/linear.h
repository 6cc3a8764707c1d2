// SPDX-License-Identifier: GPL-3.0-or-later
// torch::nn::Linear multiplies and then adds the bias for inputs of three dimensions; Python calls at::linear, which
// rounds differently in the last bits. This one does as Python does.
#pragma once

#include <ATen/ATen.h>
#include <torch/nn/modules/linear.h>

namespace lockstep::trainer {

class LinearImpl : public torch::nn::LinearImpl {
public:
    using torch::nn::LinearImpl::LinearImpl;
    at::Tensor forward(const at::Tensor& x) { return at::linear(x, weight, bias); }
};
TORCH_MODULE(Linear);

} // namespace lockstep::trainer
