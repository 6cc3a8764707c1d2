// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/parallel/single.h"

#include "trainer/models/parameters.h"
#include "trainer/parallel/gradientnorms.h"

#include <ATen/ATen.h>

namespace lockstep::trainer {

Single::Single(const Objective& objective, StepClock& clock) : m_objective(objective), m_clock(clock)
{
    for (const auto& [name, parameter] : distinctParameters(objective.model())) {
        if (parameter.requires_grad())
            m_parameters.push_back(parameter);
    }
}

at::Tensor Single::forward(const Batch& batch, Sync)
{
    return m_objective.loss(batch);
}

void Single::backward(const at::Tensor& loss)
{
    loss.backward();
    m_clock.mark(StepClock::Mark::LastGradient);
}

at::Tensor Single::evaluate(const at::Tensor& inputs)
{
    return m_objective.scores(inputs);
}

void Single::gather(const std::vector<at::Tensor>& parts, const Visit& visit)
{
    for (std::size_t i = 0; i < parts.size(); ++i)
        visit(i, parts[i].detach());
}

void Single::scatter(const Fetch& whole, const std::vector<at::Tensor>& parts)
{
    const at::NoGradGuard noGrad;
    for (std::size_t i = 0; i < parts.size(); ++i)
        parts[i].detach().copy_(whole(i));
}

at::Tensor Single::gradientNorms()
{
    return normsOfGradients(m_parameters);
}

} // namespace lockstep::trainer
