// SPDX-License-Identifier: GPL-3.0-or-later
// Fully sharded data parallelism (ZeRO-3), as torch.distributed.fsdp.fully_shard: parameters, gradients and the
// optimiser's state lie in shards, 1/world a rank, and a unit's parameters (fsdpplan.h) are whole only while it
// computes.
//   forward:  a unit is gathered before it runs and freed after it; the next one is gathered meanwhile
//   backward: it is gathered again when the gradient of its output comes; with its last gradient it is freed, and the
//             gradients are averaged over the ranks, each of which keeps its shard of them
// The root unit stays whole from forward to the end of backward, and so does the block that backward meets first.
//
// A model must run the same blocks in the same order in every step and on all ranks. Its own parameters are empty
// between steps, and bf16 with `type` bf16: whole ones come from gather() alone.
#pragma once

#include "trainer/parallel/fsdpplan.h"
#include "trainer/parallel/strategy.h"

namespace lockstep::trainer {

class FsdpRunner;

class Fsdp : public Strategy {
public:
    // Takes the module's parameters over. Throws Failure(Options) where planFsdp does.
    Fsdp(ProcessGroup& group, const Objective& objective, const FsdpOptions& options, StepClock& clock);
    ~Fsdp() override; // before the process group's end

    [[nodiscard]] const std::vector<at::Tensor>& parameters() const override; // slices, one dimension each
    [[nodiscard]] at::Tensor forward(const Batch& batch, Sync sync) override;
    void backward(const at::Tensor& loss) override;
    [[nodiscard]] at::Tensor evaluate(const at::Tensor& inputs) override;
    void settle() override;
    void gather(const std::vector<at::Tensor>& parts, const Visit& visit) override;
    void scatter(const Fetch& whole, const std::vector<at::Tensor>& parts) override;
    [[nodiscard]] at::Tensor gradientNorms() override;
    void anyRank(at::Tensor& flag) override;
    [[nodiscard]] Facts facts() const override; // the units: number, MiB each, names

private:
    ProcessGroup& m_group;
    const Objective& m_objective;
    FsdpPlan m_plan;
    std::vector<at::Tensor> m_buffers; // of the model
    bool m_broadcastBuffers;
    at::ScalarType m_type;
    std::shared_ptr<BlockRunner> m_inner; // the model's own, given back in the end
    std::shared_ptr<FsdpRunner> m_runner;
    std::vector<at::Tensor> m_parameters;
    bool m_newStep = true;
};

} // namespace lockstep::trainer
