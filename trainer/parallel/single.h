// SPDX-License-Identifier: GPL-3.0-or-later
// One process and one device: nothing is shared, and a step knows of no process group.
#pragma once

#include "trainer/parallel/strategy.h"

namespace lockstep::trainer {

class Single : public Strategy {
public:
    Single(const Objective& objective, StepClock& clock);

    [[nodiscard]] const std::vector<at::Tensor>& parameters() const override { return m_parameters; }
    [[nodiscard]] at::Tensor forward(const Batch& batch, Sync sync) override;
    void backward(const at::Tensor& loss) override;
    [[nodiscard]] at::Tensor evaluate(const at::Tensor& inputs) override;
    void gather(const std::vector<at::Tensor>& parts, const Visit& visit) override;
    void scatter(const Fetch& whole, const std::vector<at::Tensor>& parts) override;
    [[nodiscard]] at::Tensor gradientNorms() override;
    void anyRank(at::Tensor&) override {}

protected:
    [[nodiscard]] const Objective& objective() const { return m_objective; }
    [[nodiscard]] StepClock& clock() const { return m_clock; }

private:
    const Objective& m_objective;
    StepClock& m_clock;
    std::vector<at::Tensor> m_parameters; // that need a gradient
};

} // namespace lockstep::trainer
