// SPDX-License-Identifier: GPL-3.0-or-later
// What a step came to, read from the device without making it wait: on a CPU at once, on a GPU one step later, when its
// numbers have arrived anyway.
#pragma once

#include "trainer/data/loader.h"
#include "trainer/lateread.h"
#include "trainer/records/stepclock.h"
#include "trainer/records/stepmetrics.h"

#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

namespace lockstep::trainer {

class StepRecorder {
public:
    StepRecorder(StepMetrics& metrics, StepClock& clock, const Device& device);

    void forward(const at::Tensor& loss, const Batch& batch); // after each forward of the step
    // `known`: what the caller knows of the step that has ended. Writes the newest step that is complete to the metrics
    // and returns it; nothing for a rank that only kept the others company (--uneven join).
    [[nodiscard]] std::optional<StepResult> step(const StepResult& known);
    [[nodiscard]] std::optional<StepResult> finish(); // at the end of an epoch: the step that is still on its way

private:
    struct Running {
        StepResult result;                // its loss is a sum over samples
        std::vector<double> weights;      // samples of each forward whose loss is on its way
        std::vector<at::Tensor> onDevice; // those losses
    };

    [[nodiscard]] std::optional<StepResult> complete(Running step);
    [[nodiscard]] std::optional<StepResult> completeLate();

    StepMetrics& m_metrics;
    StepClock& m_clock;
    bool m_late; // on a GPU
    Running m_running;
    std::optional<Running> m_before; // the step whose numbers are on their way
    LateRead m_losses;
};

} // namespace lockstep::trainer
