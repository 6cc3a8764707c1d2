// SPDX-License-Identifier: GPL-3.0-or-later
// The element types that files can hold, by the names of torch.save and of safetensors.
#pragma once

#include <ATen/core/Tensor.h>

#include <string_view>

namespace lockstep::trainer {

struct TensorType {
    std::string_view storage;     // "FloatStorage"
    std::string_view safetensors; // "F32"
    at::ScalarType type;
};

// nullptr: not one of them.
[[nodiscard]] const TensorType* typeOfStorage(std::string_view name);
[[nodiscard]] const TensorType* typeOfSafetensors(std::string_view name);
[[nodiscard]] const TensorType& typeOf(const at::Tensor& tensor); // throws Failure(Checkpoint)

} // namespace lockstep::trainer
