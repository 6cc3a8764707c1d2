// SPDX-License-Identifier: GPL-3.0-or-later
// The small decisions before the first step, each a line of the recipe in main.cpp.
#pragma once

#include "trainer/checkpoint/checkpoint.h"
#include "trainer/data/loader.h"
#include "trainer/device.h"
#include "trainer/models/makemodel.h"
#include "trainer/parallel/processgroup.h"
#include "trainer/records/report.h"
#include "trainer/records/stepmetrics.h"

#include <string>

namespace lockstep::trainer {

void tuneAllocator(); // first thing in main
void setThreads(const Options& options, const Placement& place);
void seedWeights(const Options& options);
// Every step draws from a seed of its own, a function of (seed, rank, step): a run that is resumed, on however many
// ranks, has nothing to restore, and ranks drop out different activations.
void seedStep(const Options& options, int rank, std::int64_t step);

[[nodiscard]] SamplerOptions samplerOptions(const Options& options, const Placement& place);
[[nodiscard]] LoaderOptions loaderOptions(const Options& options, const Placement& place, const Device& device);
[[nodiscard]] std::vector<std::string> trainableNames(const Model& model);

// Steps of an epoch and of the run, from the batches of an epoch on each rank.
struct Steps {
    std::int64_t perEpoch = 0;
    std::int64_t total = 0;
};
[[nodiscard]] Steps planSteps(const Options& options, std::int64_t batchesPerEpoch); // throws Failure(Data) for none
// Of a run that goes on, on as many ranks as before the same in all. An epoch of which these ranks have no batch left
// counts as done.
[[nodiscard]] Steps planSteps(const Options& options, const Steps& whole, Progress& progress, const Loader& loader,
                              const DistributedSampler& sampler);

// What is known before the first step, as facts; what a reader wants of it, and what may surprise one, as lines.
void reportStart(Report& report, const Options& options, const Placement& place, const Device& device,
                 const DataSplit& data, const Model& model, const Steps& steps, const Progress& progress);

[[nodiscard]] double passesOf(const Progress& progress, std::int64_t samplesPerEpoch); // with the fraction
// The weight of a forward in its step, so that the step's gradient, a mean over ranks, is the mean over all its
// samples: `samples` in this forward, `samplesOfStep` in all forwards of all `world` ranks.
[[nodiscard]] at::Tensor shareOf(const at::Tensor& loss, std::int64_t samples, std::int64_t samplesOfStep, int world);
// Whether a step's loss is part of its epoch's mean: not one that is not finite and that --nan skip leaves out. Throws
// Failure(NanLoss) for it under --nan stop.
[[nodiscard]] bool counts(const Options& options, const StepResult& step);

} // namespace lockstep::trainer
