// SPDX-License-Identifier: GPL-3.0-or-later
// A model's tensors by name, as Python's state_dict() orders them, and the tensors of a file put beside them.
#pragma once

#include "trainer/models/model.h"

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::trainer {

struct ModelTensor {
    std::string name;
    at::Tensor tensor; // its values may be another strategy's to give; its sizes and type are right
    bool isParameter = false;
    std::optional<std::size_t> trained; // which of the parameters that need a gradient
    std::optional<std::size_t> sameAs;  // the earlier one of these that is the same tensor under its first name
};

[[nodiscard]] std::vector<ModelTensor> modelState(Model& model);
[[nodiscard]] std::size_t trainedCount(const std::vector<ModelTensor>& state);

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

// The file's tensors in the order of `state`; names may begin with the `module.` of Python's DDP.
// A tensor of several names may have any of them. Throws Failure(Checkpoint) with the first of the names that are
// missing, too many or of another shape.
[[nodiscard]] std::vector<at::Tensor> matched(const std::vector<ModelTensor>& state, const NamedTensors& found,
                                              const std::string& path);

} // namespace lockstep::trainer
