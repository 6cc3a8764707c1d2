// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/optimizer.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace lockstep::trainer {

namespace {

constexpr double kDampening = 0; // Python's default, which no option changes

std::vector<at::Tensor> zerosLike(const std::vector<at::Tensor>& parameters)
{
    std::vector<at::Tensor> zeros;
    zeros.reserve(parameters.size());
    for (const at::Tensor& parameter : parameters)
        zeros.push_back(at::zeros_like(parameter, at::MemoryFormat::Preserve));
    return zeros;
}

std::vector<at::Tensor> stepCounts(const std::vector<at::Tensor>& parameters)
{
    std::vector<at::Tensor> counts;
    counts.reserve(parameters.size());
    for (const at::Tensor& parameter : parameters)
        counts.push_back(at::zeros({}, parameter.options().dtype(at::kFloat).requires_grad(false)));
    return counts;
}

void countStep(const std::vector<at::Tensor>& counts)
{
    if (!counts.front().is_cpu()) {
        at::_foreach_add_(counts, 1);
        return;
    }
    for (const at::Tensor& count : counts) // an operator call each would cost more than the additions
        *count.mutable_data_ptr<float>() += 1;
}

std::optional<at::Tensor> given(const at::Tensor& tensor)
{
    return tensor.defined() ? std::optional(tensor) : std::nullopt;
}

} // namespace

Optimizer::Optimizer(std::vector<at::Tensor> parameters, const Options& options)
    : m_kind(options.optimizer), m_lr(options.learningRate()), m_decay(options.decay()), m_momentum(options.momentum),
      m_beta1(options.beta1), m_beta2(options.beta2), m_epsilon(options.epsilon),
      m_nesterov(options.nesterov == Switch::Yes)
{
    const at::NoGradGuard noGrad;
    if (m_kind != OptimizerKind::Sgd)
        m_state = {{"step", stepCounts(parameters)},
                   {"exp_avg", zerosLike(parameters)},
                   {"exp_avg_sq", zerosLike(parameters)}};
    else if (m_momentum > 0)
        m_state = {{"momentum_buffer", zerosLike(parameters)}};
    m_gradients.reserve(parameters.size());
    m_all.parameters = std::move(parameters);
    for (const State& state : m_state)
        m_all.state.push_back(state.tensors);
}

void Optimizer::step(double learningRate, const at::Tensor& leaveOut)
{
    m_lr = learningRate;
    const at::NoGradGuard noGrad;
    m_gradients.clear();
    for (const at::Tensor& parameter : m_all.parameters) {
        if (const at::Tensor& gradient = parameter.grad(); gradient.defined())
            m_gradients.push_back(gradient);
    }
    if (m_gradients.empty())
        return;
    const bool all = m_gradients.size() == m_all.parameters.size();
    const Stepped some = all ? Stepped{} : withGradient();
    if (m_kind == OptimizerKind::Sgd)
        stepSgd(all ? m_all : some, leaveOut);
    else
        stepAdam(all ? m_all : some, leaveOut);
    m_gradients.clear(); // holds none of their memory
    m_firstStep = false;
}

Optimizer::Stepped Optimizer::withGradient() const
{
    Stepped some;
    some.state.resize(m_all.state.size());
    for (std::size_t i = 0; i < m_all.parameters.size(); ++i) {
        if (!m_all.parameters[i].grad().defined())
            continue;
        some.parameters.push_back(m_all.parameters[i]);
        for (std::size_t k = 0; k < some.state.size(); ++k)
            some.state[k].push_back(m_all.state[k][i]);
    }
    return some;
}

void Optimizer::stepSgd(const Stepped& stepped, const at::Tensor& leaveOut)
{
    const Tensors none;
    const bool first = m_firstStep && !stepped.state.empty();
    at::_fused_sgd_(stepped.parameters, m_gradients, stepped.state.empty() ? none : stepped.state[0], m_decay,
                    m_momentum, m_lr, kDampening, m_nesterov, false, first, {}, given(leaveOut));
}

void Optimizer::stepAdam(const Stepped& stepped, const at::Tensor& leaveOut)
{
    const Tensors& steps = stepped.state[0];
    countStep(steps);
    if (m_kind == OptimizerKind::Adam)
        at::_fused_adam_(stepped.parameters, m_gradients, stepped.state[1], stepped.state[2], {}, steps, m_lr, m_beta1,
                         m_beta2, m_decay, m_epsilon, false, false, {}, given(leaveOut));
    else
        at::_fused_adamw_(stepped.parameters, m_gradients, stepped.state[1], stepped.state[2], {}, steps, m_lr, m_beta1,
                          m_beta2, m_decay, m_epsilon, false, false, {}, given(leaveOut));
    if (leaveOut.defined())
        at::_foreach_sub_(steps, Tensors(steps.size(), leaveOut));
}

void Optimizer::zeroGradients()
{
    for (at::Tensor& parameter : m_all.parameters)
        parameter.mutable_grad().reset();
}

Optimizer::Hyperparameters Optimizer::hyperparameters() const
{
    if (m_kind == OptimizerKind::Sgd)
        return {{"lr", m_lr},
                {"momentum", m_momentum},
                {"dampening", kDampening},
                {"weight_decay", m_decay},
                {"nesterov", m_nesterov},
                {"maximize", false},
                {"fused", true}};
    const std::vector<double> betas{m_beta1, m_beta2};
    return {{"lr", m_lr},       {"betas", betas},
            {"eps", m_epsilon}, {"weight_decay", m_decay},
            {"amsgrad", false}, {"maximize", false},
            {"fused", true},    {"decoupled_weight_decay", m_kind == OptimizerKind::AdamW}};
}

void Optimizer::stateWasLoaded(std::int64_t stepsDone)
{
    m_firstStep = stepsDone == 0;
}

} // namespace lockstep::trainer
