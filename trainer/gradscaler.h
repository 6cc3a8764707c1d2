// SPDX-License-Identifier: GPL-3.0-or-later
// Loss scaling for fp16, step for step as torch.amp.GradScaler: small gradients would vanish in half precision, so the
// loss is scaled up before backward and the gradients down after it; a step with an infinite gradient is left out and
// halves the scale, and many good ones in a row double it. With any other precision it does nothing.
#pragma once

#include "trainer/options.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace lockstep::trainer {

class Strategy;

class GradScaler {
public:
    GradScaler(const Options& options, at::Device device);

    [[nodiscard]] bool enabled() const { return m_enabled; }
    [[nodiscard]] at::Tensor scaled(const at::Tensor& loss) const;
    // Divides the gradients by the scale and notes whether one of any rank's is not finite.
    void unscale(Strategy& strategy);
    [[nodiscard]] bool foundInf() const; // since the last update
    void update();                       // the scale, at the end of a step

    [[nodiscard]] double scale() const;
    struct State { // by Python's names: scale, _growth_tracker
        double scale = 0;
        std::int64_t growthTracker = 0;
    };
    [[nodiscard]] State state() const;
    void restore(const State& state);

private:
    bool m_enabled;
    std::int64_t m_growthInterval;
    at::Tensor m_scale;         // float, one element
    at::Tensor m_growthTracker; // int
    at::Tensor m_foundInf;      // float
};

} // namespace lockstep::trainer
