// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a step in the order of the stack, with the metrics that the trainer sends for them. Milliseconds a step.
#pragma once

#include "core/rundata.h"
#include "ui/tokens.h"

#include <array>

namespace lockstep::ui {

struct StepPartInfo {
    StepPart part;
    const char* metric;
    const char* name;
};

inline constexpr std::array<StepPartInfo, 5> kStepParts = {{
    {StepPart::Data, "data_ms", "data"},
    {StepPart::Forward, "forward_ms", "forward"},
    {StepPart::Backward, "backward_ms", "backward"},
    {StepPart::Waiting, "wait_ms", "waiting"},
    {StepPart::Optimiser, "optimizer_ms", "optimiser"},
}};

// Mean of the last `points` of a rank's newest attempt; NaN: none.
[[nodiscard]] double recentMean(const RunData& data, int rank, const QString& metric, std::size_t points);
// The series of a rank's newest attempt; null: none.
[[nodiscard]] const Series* rankSeries(const RunData& data, int rank, const QString& metric, XAxis x);

} // namespace lockstep::ui
