// SPDX-License-Identifier: GPL-3.0-or-later
// The test set, each sample counted once, over all ranks; and the state a model is in for it.
#pragma once

#include "trainer/checkpoint/checkpoint.h"
#include "trainer/data/loader.h"
#include "trainer/device.h"
#include "trainer/parallel/strategy.h"

namespace lockstep::trainer {

// Every --evaluate-every epochs, and at the end of the run.
[[nodiscard]] bool evaluationDue(const Options& options, const Progress& progress, std::int64_t lastStep);

// The loss is Model::loss. All ranks call it together and make the same number of forwards. Throws Failure(Data).
[[nodiscard]] TestResult evaluate(Strategy& strategy, Model& model, const Dataset& tests, ProcessGroup& group,
                                  const Device& device, const Options& options);

// While a batch without samples goes through the model, until the end of its backward: no dropout, and batch norms
// learn nothing from it. Other batches: nothing.
class StandInScope {
public:
    StandInScope(Model& model, const Batch& batch);
    ~StandInScope();
    StandInScope(const StandInScope&) = delete;
    StandInScope& operator=(const StandInScope&) = delete;

private:
    Model* m_model; // nullptr: a batch with samples
};

} // namespace lockstep::trainer
