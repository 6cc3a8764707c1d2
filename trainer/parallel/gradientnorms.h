// SPDX-License-Identifier: GPL-3.0-or-later
// The norms that clipping and the watch for missing gradients begin with, by the operator that Python's
// clip_grad_norm_ calls: every strategy has the same bits.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace lockstep::trainer {

// For each parameter its gradient's 2-norm; 0 where there is none. parameters.size() elements.
[[nodiscard]] at::Tensor normsOfGradients(const std::vector<at::Tensor>& parameters);

} // namespace lockstep::trainer
