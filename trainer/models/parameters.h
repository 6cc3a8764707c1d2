// SPDX-License-Identifier: GPL-3.0-or-later
// A module's parameters, each once: one that has several names (tied weights) under its first, as in Python's
// named_parameters().
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <string>
#include <utility>
#include <vector>

namespace lockstep::trainer {

[[nodiscard]] std::vector<std::pair<std::string, at::Tensor>> distinctParameters(const torch::nn::Module& module);

} // namespace lockstep::trainer
