// SPDX-License-Identifier: GPL-3.0-or-later
// The small decisions before the first step, each a line of the recipe in main.cpp.
#pragma once

#include "trainer/dataset.h"
#include "trainer/device.h"
#include "trainer/model.h"
#include "trainer/processgroup.h"
#include "trainer/report.h"

#include <chrono>
#include <string>

namespace lockstep::trainer {

void tuneAllocator(); // first thing in main
void setThreads(const Options& options, const Placement& place);
void seedEverything(const Options& options);

[[nodiscard]] std::chrono::milliseconds asMilliseconds(double seconds);
[[nodiscard]] ImageShape shapeOf(const Dataset& data);
[[nodiscard]] std::int64_t planSteps(const Options& options,
                                     std::int64_t stepsPerEpoch); // throws Failure(Data) for none

[[nodiscard]] Facts runFacts(const Options& options, const Placement& place, const Device& device, const Dataset& data,
                             const Model& model, std::int64_t stepsPerEpoch, std::int64_t totalSteps);
[[nodiscard]] std::string runLine(const Options& options, const Placement& place, const Device& device,
                                  const Model& model);

// The mean loss of an epoch's samples, and their rate.
class EpochMean {
public:
    void add(double loss, std::int64_t samples);
    [[nodiscard]] EpochResult over(ProcessGroup& group) const; // trainLoss and samplesPerS of all ranks

private:
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
    double m_loss = 0;
    double m_samples = 0;
};

} // namespace lockstep::trainer
