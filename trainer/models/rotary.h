// SPDX-License-Identifier: GPL-3.0-or-later
// Rotary positions (Su et al. 2021): the pair (i, i + head/2) of a query or key turns by position · 10000^(-2i/head).
#pragma once

#include <ATen/core/Tensor.h>

namespace lockstep::trainer {

struct RotaryTables { // tokens × head, fp32
    at::Tensor cos;
    at::Tensor sin;
};

[[nodiscard]] RotaryTables rotaryTables(std::int64_t tokens, std::int64_t head, const at::Device& device);
[[nodiscard]] at::Tensor rotated(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin); // N×heads×T×head

} // namespace lockstep::trainer
