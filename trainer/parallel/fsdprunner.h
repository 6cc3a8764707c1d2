// SPDX-License-Identifier: GPL-3.0-or-later
// When FSDP's units are gathered, freed and reduced: around each block that the model runs, and as backward comes by.
// Everything happens on one thread at a time: the one that runs forward, or autograd's while that one waits for
// backward.
#pragma once

#include "trainer/parallel/fsdpplan.h"
#include "trainer/parallel/fsdpunit.h"
#include "trainer/parallel/shardexchange.h"
#include "trainer/parallel/strategy.h"
#include "trainer/parallel/unitorder.h"

#include <deque>
#include <memory>
#include <vector>

namespace lockstep::trainer {

class FsdpRunner : public BlockRunner {
public:
    // `inner` runs the blocks once they are whole; activation checkpointing, say: what it computes again in backward
    // finds the unit whole, because the gradient of the block's output came first.
    FsdpRunner(const FsdpPlan& plan, const FsdpOptions& options, ProcessGroup& group, StepClock& clock,
               std::shared_ptr<BlockRunner> inner);
    ~FsdpRunner() override;

    [[nodiscard]] Tensors run(Block& block, const Tensors& inputs) override;

    void beginForward(Sync sync);
    void endForward();
    void beginBackward();
    void endBackward(); // the slices have their gradients, unless the next backward is to add to them
    void beginEvaluation();
    void endEvaluation();

    [[nodiscard]] const std::vector<std::unique_ptr<FsdpUnit>>& units() const { return m_units; }

private:
    enum class Phase { Idle, Forward, Backward, Evaluation };

    void begin(Phase phase);
    void end();
    void timed(const std::function<void()>& wait);
    void ahead(std::optional<std::size_t> unit);
    void agreeOnFirstForward(std::optional<std::size_t> unit);
    void gradientComes(std::size_t position); // of the output of the block that was run there
    void ready(std::size_t unit);             // all its gradients are there
    void reduceInTurn();
    void reduce(std::size_t unit);
    void finishReductions(std::size_t left);
    void addGradients();
    [[nodiscard]] Tensors cast(const Tensors& tensors) const;

    const FsdpPlan& m_plan;
    FsdpOptions m_options;
    ProcessGroup& m_group;
    ShardExchange m_exchange;
    StepClock& m_clock;
    std::shared_ptr<BlockRunner> m_inner;
    std::vector<std::unique_ptr<FsdpUnit>> m_units;
    UnitOrder m_order;
    Phase m_phase = Phase::Idle;
    Sync m_sync = Sync::Now;

    std::vector<std::size_t> m_reductions; // units in the order in which they are reduced, the same on all ranks
    std::size_t m_nextReduction = 0;
    std::vector<bool> m_ready;
    std::deque<std::size_t> m_reducing;

    struct Frozen {
        at::Tensor parameter;
        at::Tensor own;    // its values as they are kept
        at::Tensor inType; // as they are computed with
    };
    std::vector<Frozen> m_frozen; // empty when the types agree
};

} // namespace lockstep::trainer
