// SPDX-License-Identifier: GPL-3.0-or-later
// Loss scaling for fp16, step for step as torch.amp.GradScaler: small gradients would vanish in half precision, so the
// loss is scaled up before backward and the gradients down after it; a step with an infinite gradient is left out and
// halves the scale, and many good ones in a row double it. With any other precision it does nothing.
// All of it happens on the device; only overflowed() and scale() read from there.
#pragma once

#include "trainer/options.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace lockstep::trainer {

class Strategy;

// Multiplies the strategy's gradients by `factor` and notes in `found` (1, else 0; floats of one element) whether one
// of any rank's is not finite. The same answer on all ranks: the gradients are, or the strategy asks the others.
void multiplyAndCheck(Strategy& strategy, const at::Tensor& factor, at::Tensor& found);

class GradScaler {
public:
    GradScaler(const Options& options, at::Device device);

    [[nodiscard]] bool enabled() const { return m_enabled; }
    [[nodiscard]] at::Tensor scaled(const at::Tensor& loss) const;
    // Divides the gradients by the scale and notes whether one of any rank's is not finite. (By the reciprocal, as
    // Python's unscale_; its fused optimisers divide, which is the same for a power of two.)
    void unscale(Strategy& strategy);
    [[nodiscard]] const at::Tensor& foundInf() const { return m_foundInf; } // by the last unscale: 1, else 0
    [[nodiscard]] const at::Tensor& scaleOnDevice() const { return m_scale; }
    void update(); // the scale, at the end of a step

    [[nodiscard]] double scale() const; // waits for the device
    struct State { // by Python's names: scale, growth_factor, backoff_factor, growth_interval, _growth_tracker
        double scale = 0;
        double growthFactor = 0;
        double backoffFactor = 0;
        std::int64_t growthInterval = 0;
        std::int64_t growthTracker = 0;
    };
    [[nodiscard]] State state() const;
    void restore(const State& state); // scale and tracker; the rest are options'

private:
    bool m_enabled;
    std::int64_t m_growthInterval;
    at::Tensor m_scale;         // float, one element
    at::Tensor m_growthTracker; // int
    at::Tensor m_foundInf;      // float
};

} // namespace lockstep::trainer
