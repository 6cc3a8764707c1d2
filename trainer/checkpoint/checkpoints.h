// SPDX-License-Identifier: GPL-3.0-or-later
// When a checkpoint is due, where it lies, which are kept, and which one a run goes on from:
//   FOLDER/step-000001200.pt ... (the last K), FOLDER/best.pt (a link to the one with the lowest test loss)
#pragma once

#include "trainer/checkpoint/checkpoint.h"
#include "trainer/options.h"
#include "trainer/records/report.h"

#include <chrono>
#include <optional>
#include <string>

namespace lockstep::trainer {

class Checkpoints {
public:
    Checkpoints(const Options& options, ProcessGroup& group, Report& report);

    void restore(TrainingState& state); // --resume; without it nothing
    // A function of the step and epoch alone, the same on all ranks.
    [[nodiscard]] bool dueAfterStep(std::int64_t step) const;
    [[nodiscard]] bool dueAfterEpoch(std::int64_t epoch) const;
    [[nodiscard]] bool wanted() const; // on this rank, now: SIGUSR1, or the minutes are over

    // All ranks together. testLoss: nullopt, none was measured here.
    void save(const TrainingState& state, std::optional<double> testLoss);

private:
    const Options& m_options;
    ProcessGroup& m_group;
    Report& m_report;
    std::chrono::steady_clock::time_point m_last = std::chrono::steady_clock::now();
    std::int64_t m_savedAt = -1;
};

} // namespace lockstep::trainer
