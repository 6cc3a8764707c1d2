// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/models/rotary.h"

#include <ATen/ATen.h>

namespace lockstep::trainer {

namespace {

constexpr double kBase = 10000;

} // namespace

RotaryTables rotaryTables(std::int64_t tokens, std::int64_t head, const at::Device& device)
{
    const auto floats = at::TensorOptions(at::kFloat).device(device);
    const at::Tensor frequencies = at::pow(kBase, at::arange(0, head, 2, floats) / static_cast<double>(-head));
    const at::Tensor half = at::outer(at::arange(tokens, floats), frequencies);
    const at::Tensor angles = at::cat({half, half}, -1);
    return {angles.cos(), angles.sin()};
}

at::Tensor rotated(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin)
{
    const auto halves = x.chunk(2, -1);
    const at::Tensor crossed = at::cat({-halves[1], halves[0]}, -1);
    const at::Tensor along = x * cos;
    const at::Tensor across = crossed * sin;
    return (along + across).to(x.scalar_type()); // under autocast x is narrower than the tables
}

} // namespace lockstep::trainer
