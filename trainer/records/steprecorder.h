// SPDX-License-Identifier: GPL-3.0-or-later
// What a step came to, read from the device without making it wait: on a CPU at once, on a GPU one step later, when its
// numbers have arrived anyway.
#pragma once

#include "trainer/data/loader.h"
#include "trainer/records/stepclock.h"
#include "trainer/records/stepmetrics.h"

#include <ATen/core/Tensor.h>

#include <optional>

namespace lockstep::trainer {

class StepRecorder {
public:
    StepRecorder(StepMetrics& metrics, StepClock& clock, const Device& device);

    void forward(const at::Tensor& loss, const Batch& batch); // after each forward of the step
    // `known`: step, epoch, lr and the norm. Writes it to the metrics and returns the newest step that is complete.
    [[nodiscard]] std::optional<StepResult> step(const StepResult& known);
    [[nodiscard]] std::optional<StepResult> finish(); // at the end of an epoch: the step that is still on its way

private:
    StepMetrics& m_metrics;
    StepClock& m_clock;
    double m_loss = 0; // sum over samples
    std::int64_t m_samples = 0;
    std::int64_t m_tokens = 0;
};

} // namespace lockstep::trainer
