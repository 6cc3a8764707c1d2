// SPDX-License-Identifier: GPL-3.0-or-later
// The mean loss of an epoch's samples, and their rate.
#pragma once

#include "trainer/parallel/processgroup.h"
#include "trainer/records/report.h"
#include "trainer/records/stepmetrics.h"

#include <chrono>
#include <cstdint>

namespace lockstep::trainer {

class EpochMean {
public:
    struct Sums { // of one rank, over the samples of an epoch so far
        double loss = 0;
        double samples = 0;
    };

    // Samples that all ranks have used of the epoch: 0, it begins; else add() and restore() have brought their sums.
    void begin(std::int64_t taken);
    void add(const StepResult& step);
    [[nodiscard]] EpochResult over(ProcessGroup& group) const; // trainLoss and samplesPerS of all ranks

    // In a checkpoint within an epoch: the mean is then that of the run which was not interrupted.
    [[nodiscard]] const Sums& sums() const { return m_sums; }
    void restore(const Sums& sums) { m_sums = sums; }

private:
    Sums m_sums;
    double m_before = 0; // samples at begin(): they have no part in the rate
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
};

} // namespace lockstep::trainer
