// SPDX-License-Identifier: GPL-3.0-or-later
// How the ranks share the work of a step. The recipe calls forward and backward; what is reduced, gathered or scattered
// meanwhile is the strategy's. Afterwards the gradients of `parameters()` are the mean over all ranks.
#pragma once

#include "trainer/objective.h"
#include "trainer/parallel/processgroup.h"
#include "trainer/records/facts.h"
#include "trainer/records/stepclock.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lockstep::trainer {

enum class Sync { Later, Now }; // Later: a micro-batch whose gradients stay on this rank until the last one

class Strategy {
public:
    virtual ~Strategy() = default;

    // What the optimiser steps: the model's parameters that need a gradient, or this rank's slices of them.
    [[nodiscard]] virtual const std::vector<at::Tensor>& parameters() const = 0;
    [[nodiscard]] virtual at::Tensor forward(const Batch& batch, Sync sync) = 0; // the loss
    virtual void backward(const at::Tensor& loss) = 0;
    [[nodiscard]] virtual at::Tensor evaluate(const at::Tensor& inputs) = 0; // scores; the caller has a NoGradGuard

    // All ranks, before an evaluation: what each has of its own, as a batch norm's running means, becomes rank 0's.
    virtual void settle() {}

    // Whole tensors from what the ranks hold of them, and back. `parts` are one tensor for each of parameters(): those
    // themselves, or an optimiser's state. `parameter` counts the model's parameters that need a gradient, in their
    // order. All ranks call these together, in the same order; at most one unit is whole at a time.
    using Visit = std::function<void(std::size_t parameter, const at::Tensor& whole)>;
    virtual void gather(const std::vector<at::Tensor>& parts, const Visit& visit) = 0; // visits on every rank
    using Fetch = std::function<at::Tensor(std::size_t parameter)>;                    // asked for on rank 0 only
    virtual void scatter(const Fetch& whole, const std::vector<at::Tensor>& parts) = 0;

    // For each model parameter that needs a gradient: its gradient's 2-norm over all ranks, as floats; not its square,
    // which reaches only half as far.
    [[nodiscard]] virtual at::Tensor gradientNorms() = 0;
    // Whether any rank's part holds the flag (a float tensor of one element): found_inf of sharded gradients.
    virtual void anyRank(at::Tensor& flag) = 0;

    [[nodiscard]] virtual Facts facts() const { return {}; }   // after the first steps and at the end: buckets, units
    [[nodiscard]] virtual Facts metrics() const { return {}; } // of the newest step
};

// The one that the options ask for. `shape`: of the data; dp makes its replicas of the model from it. Throws
// Failure(Options) when it does not go together with the number of ranks or another option.
[[nodiscard]] std::unique_ptr<Strategy> makeStrategy(const Options& options, const SampleShape& shape,
                                                     ProcessGroup& group, const Objective& objective, StepClock& clock);

} // namespace lockstep::trainer
