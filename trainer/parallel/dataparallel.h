// SPDX-License-Identifier: GPL-3.0-or-later
// One process drives all its devices, as torch.nn.DataParallel does; on a CPU, threads stand for devices. Each step
// copies the parameters to every device, cuts the batch, brings the scores back to the first device, where the loss is,
// and sums the gradients there. What that costs beside DDP is why this strategy exists: it is told with every step.
// (torch.nn.DataParallel also makes its replicas anew in each step; these are made once.)
#pragma once

#include "trainer/parallel/single.h"

#include <functional>

namespace lockstep::trainer {

class DataParallel : public Single {
public:
    struct Replica {
        std::shared_ptr<Model> model;
        at::Device device;
    };

    // On a CPU all threads draw from one generator: as soon as a forward is seen to draw, dropout say, the devices
    // compute one after the other, and the same run gives the same bits.
    //
    // `others`: for each device but the first, which computes with the model itself. Its batch norms' running means are
    // the ones kept.
    DataParallel(const Objective& objective, StepClock& clock, std::vector<Replica> others);

    [[nodiscard]] at::Tensor forward(const Batch& batch, Sync sync) override;
    void backward(const at::Tensor& loss) override;
    [[nodiscard]] Facts facts() const override;   // dp_devices
    [[nodiscard]] Facts metrics() const override; // replicate_ms, scatter_ms, gather_ms, reduce_ms

private:
    void replicate();
    void scoreEach(const std::vector<at::Tensor>& inputs);
    void reduce();
    void onEach(std::size_t devices, const std::function<void(std::size_t)>& work);

    std::vector<Replica> m_others;
    std::vector<Objective> m_objectives; // by device, the first one's too
    std::vector<at::Tensor> m_scores;    // by device, as long as the batch reaches
    at::Tensor m_gathered;               // all of them on the first device, a leaf
    struct Costs {
        double replicate = 0;
        double scatter = 0;
        double gather = 0;
        double reduce = 0;
    };
    Costs m_costs; // milliseconds of the step
    bool m_newStep = true;
    bool m_sawForward = false;
    bool m_inTurn = false; // the devices are threads of a CPU, and the model draws random numbers, or nobody knows yet
};

} // namespace lockstep::trainer
