// SPDX-License-Identifier: GPL-3.0-or-later
// Distributed data parallelism: PyTorch's own c10d::Reducer, driven as torch.nn.parallel.DistributedDataParallel drives
// it. While backward runs, the gradients that are ready are summed over the ranks bucket by bucket and divided by their
// number; when backward returns, every rank has the same mean gradients.
#pragma once

#include "trainer/parallel/strategy.h"

namespace lockstep::trainer {

struct DdpOptions {
    double bucketMib = 25;
    double firstBucketMib = 1;
    bool bucketViews = true;
    bool findUnused = false;
    bool staticGraph = false;
    bool broadcastBuffers = true;
    Compression compression = Compression::None;
};

class Ddp : public Strategy {
public:
    // Broadcasts parameters and buffers from rank 0.
    Ddp(ProcessGroup& group, const Objective& objective, const DdpOptions& options, StepClock& clock);
    ~Ddp() override; // before the process group's end

    [[nodiscard]] const std::vector<at::Tensor>& parameters() const override;
    [[nodiscard]] at::Tensor forward(const Batch& batch, Sync sync) override;
    void backward(const at::Tensor& loss) override;
    [[nodiscard]] at::Tensor evaluate(const at::Tensor& inputs) override;
    void gather(const std::vector<at::Tensor>& parts, const Visit& visit) override;
    void scatter(const Fetch& whole, const std::vector<at::Tensor>& parts) override;
    [[nodiscard]] at::Tensor gradientNorms() override;
    void anyRank(at::Tensor& flag) override;
    void settle() override;
    [[nodiscard]] Facts facts() const override; // from c10d's logger, which times the first ten steps and each 100th

private:
    void broadcastBuffers();

    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace lockstep::trainer
