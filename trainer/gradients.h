// SPDX-License-Identifier: GPL-3.0-or-later
// What happens to the reduced gradients before the optimiser sees them: unscaled, looked at, clipped. In this order,
// as Python's scaler.unscale_, clip_grad_norm_, clip_grad_value_, scaler.step. On a GPU nothing here waits for the
// device, and what is read from it (norm, skipped steps, scale, parameters without a gradient) is a step old.
#pragma once

#include "trainer/gradscaler.h"
#include "trainer/lateread.h"
#include "trainer/options.h"
#include "trainer/parallel/strategy.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::trainer {

class Gradients {
public:
    static constexpr int kStepsWithout = 20; // a parameter without a gradient for so long is named
    static constexpr int kWatchEvery = 100;  // it is looked for at least so often, whatever --grad-norm-every says

    Gradients(const Options& options, Strategy& strategy, GradScaler& scaler, std::vector<std::string> names);

    // All ranks call it together, with the same answer: false, the step is left out (fp16 overflow, or --nan skip).
    // On a GPU it is always true, and leaveOut() tells the device. Throws Failure(NanLoss) under --nan stop for a
    // norm that is not finite.
    [[nodiscard]] bool finish(std::int64_t step);
    // Reads what is still on its way from a GPU, before a checkpoint and at the end. Throws as finish().
    void settle();
    void refuseNothingTaken() const; // at the end: throws Failure(NanLoss) when every step of this run was left out
    [[nodiscard]] const at::Tensor& leaveOut() const { return m_leaveOut; } // for the optimiser; undefined on a CPU

    // Before clipping, where it was measured since it was asked.
    [[nodiscard]] std::optional<double> norm() { return std::exchange(m_norm, std::nullopt); }
    [[nodiscard]] std::optional<double> lossScale() const { return m_lossScale; } // of the step, with fp16
    [[nodiscard]] std::int64_t skipped() { return std::exchange(m_skipped, 0); }  // steps left out since it was asked
    // Parameters whose gradient was zero or missing on all ranks for kStepsWithout steps; each is told once. They are
    // watched from the first measurement that saw none; a step that was left out does not count.
    [[nodiscard]] std::vector<std::string> withoutGradient() { return std::exchange(m_without, {}); }

private:
    void check();
    void measure(std::int64_t step);
    void clip();
    void readCheck();
    void readMeasured();
    void watch(const at::Tensor& norms);

    const Options& m_options;
    Strategy& m_strategy;
    GradScaler& m_scaler;
    std::vector<std::string> m_names; // of the model's parameters that need a gradient
    bool m_onCpu;

    at::Tensor m_one;
    at::Tensor m_found;    // 1: a gradient is not finite; undefined where no step is left out
    at::Tensor m_leaveOut; // the same, on a GPU
    LateRead m_checked;    // found, scale
    bool m_leftOut = false;
    std::int64_t m_skipped = 0;
    std::int64_t m_finished = 0; // steps, left out or not
    bool m_anyTaken = false;     // as far as it was read
    std::optional<double> m_lossScale;

    at::Tensor m_total;  // the norm, on the device
    LateRead m_measured; // the norm, and each parameter's
    std::int64_t m_measuredStep = 0;
    std::optional<double> m_norm;

    std::vector<int> m_zeroFor; // steps in a row, a parameter; or told
    bool m_watching = false;    // one had no gradient at the last measurement
    std::vector<std::string> m_without;
};

} // namespace lockstep::trainer
