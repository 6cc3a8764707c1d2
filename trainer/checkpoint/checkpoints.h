// SPDX-License-Identifier: GPL-3.0-or-later
// When a checkpoint is due, and which one a run goes on from; where they lie is checkpointfolder.h's.
#pragma once

#include "trainer/checkpoint/checkpoint.h"
#include "trainer/checkpoint/checkpointfolder.h"
#include "trainer/options.h"
#include "trainer/records/report.h"

#include <chrono>
#include <optional>
#include <string>

namespace lockstep::trainer {

class Checkpoints {
public:
    Checkpoints(const Options& options, ProcessGroup& group, Report& report);

    // All ranks together: makes --checkpoint's folder and goes on from --resume. Throws Failure(Checkpoint): it cannot
    // be written into, it has checkpoints that are not this run's, or there is no good one to go on from.
    void begin(TrainingState& state);

    // A function of the step and epoch alone, the same on all ranks.
    [[nodiscard]] bool dueAfterStep(std::int64_t step) const;
    [[nodiscard]] bool dueAfterEpoch(std::int64_t epoch) const;
    [[nodiscard]] bool wanted(); // on this rank, now: SIGUSR1, or the minutes are over

    // All ranks together. testLoss: nullopt, none was measured here. What cannot be written is told, and training goes
    // on: the older ones are still there, and a disk may be emptied meanwhile. Throws Failure(NanLoss) for parameters
    // that are not finite, unless under --nan go-on.
    void save(const TrainingState& state, std::optional<double> testLoss);
    void conclude() const; // before the end: throws Failure(Checkpoint) when the last save was one that failed

private:
    [[nodiscard]] bool enabled() const { return !m_options.checkpoint.empty(); }
    void takeFolder(const SavedState* saved);
    [[nodiscard]] std::vector<std::string> candidates() const; // of --resume, the best first
    [[nodiscard]] std::unique_ptr<SavedState> openGood(const TrainingState& state) const;
    void write(const TrainingState& state, bool best);
    void refuseNotFinite(const TrainingState& state);

    const Options& m_options;
    ProcessGroup& m_group;
    Report& m_report;
    CheckpointFolder m_folder;
    std::chrono::steady_clock::time_point m_last = std::chrono::steady_clock::now();
    std::optional<Progress> m_saved;
    std::string m_failure; // of the last save; empty: it went well
};

} // namespace lockstep::trainer
