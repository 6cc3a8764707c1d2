// SPDX-License-Identifier: GPL-3.0-or-later
// What happens to the reduced gradients before the optimiser sees them: unscaled, looked at, clipped.
#pragma once

#include "trainer/gradscaler.h"
#include "trainer/options.h"
#include "trainer/parallel/strategy.h"

#include <optional>
#include <string>
#include <vector>

namespace lockstep::trainer {

class Gradients {
public:
    static constexpr int kStepsWithout = 20; // a parameter without a gradient for so long is named

    Gradients(const Options& options, Strategy& strategy, GradScaler& scaler, std::vector<std::string> names);

    // All ranks call it together and get the same answer: false, the step is left out (fp16 overflow, or --nan skip).
    [[nodiscard]] bool finish(std::int64_t step);

    [[nodiscard]] std::optional<double> norm() const { return m_norm; } // before clipping, where it was measured
    // Parameters whose gradient was zero or missing on all ranks for kStepsWithout steps; each is told once.
    [[nodiscard]] std::vector<std::string> withoutGradient();

private:
    const Options& m_options;
    Strategy& m_strategy;
    GradScaler& m_scaler;
    std::vector<std::string> m_names; // of the model's parameters that need a gradient
    std::optional<double> m_norm;
    std::vector<std::string> m_without;
};

} // namespace lockstep::trainer
