// SPDX-License-Identifier: GPL-3.0-or-later
// The parameters as one number, to see that all ranks hold the same bits.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace lockstep::trainer {

[[nodiscard]] std::string fingerprint(const std::vector<at::Tensor>& tensors); // FNV-1a of their bytes, 16 hex digits
void dumpTensors(const std::vector<at::Tensor>& tensors, const std::string& path); // their bytes, one after the other

} // namespace lockstep::trainer
