// SPDX-License-Identifier: GPL-3.0-or-later
// Where LibTorch's generators stand, the CPU's and the device's, to be put back there.
#pragma once

#include <ATen/core/Tensor.h>

namespace lockstep::trainer {

class RandomState {
public:
    [[nodiscard]] static RandomState now(at::Device device);
    void restore() const;
    [[nodiscard]] bool operator==(const RandomState& other) const; // of the same device

private:
    at::Device m_device = at::Device(at::kCPU);
    at::Tensor m_cpu;
    at::Tensor m_own; // of the device, when that is not the CPU
};

} // namespace lockstep::trainer
