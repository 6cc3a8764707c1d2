// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/optimizer.h"

#include <ATen/ATen.h>

namespace lockstep::trainer {

namespace {

// Python's defaults, which no option changes yet.
constexpr double kBeta1 = 0.9;
constexpr double kBeta2 = 0.999;
constexpr double kEpsilon = 1e-8;
constexpr double kDampening = 0;

std::vector<at::Tensor> zerosLike(const std::vector<at::Tensor>& parameters)
{
    std::vector<at::Tensor> zeros;
    zeros.reserve(parameters.size());
    for (const at::Tensor& parameter : parameters)
        zeros.push_back(at::zeros_like(parameter, at::MemoryFormat::Preserve));
    return zeros;
}

} // namespace

Optimizer::Optimizer(std::vector<at::Tensor> parameters, const Options& options)
    : m_parameters(std::move(parameters)), m_kind(options.optimizer), m_lr(options.learningRate()),
      m_decay(options.decay()), m_momentum(options.momentum), m_nesterov(options.nesterov == Switch::Yes)
{
    const at::NoGradGuard noGrad;
    if (m_kind == OptimizerKind::AdamW) {
        std::vector<at::Tensor> steps;
        steps.reserve(m_parameters.size());
        for (const at::Tensor& parameter : m_parameters)
            steps.push_back(at::zeros({}, parameter.options().dtype(at::kFloat).requires_grad(false)));
        m_state = {{"step", steps}, {"exp_avg", zerosLike(m_parameters)}, {"exp_avg_sq", zerosLike(m_parameters)}};
    } else if (m_momentum > 0) {
        m_state = {{"momentum_buffer", zerosLike(m_parameters)}};
    }
}

void Optimizer::step(double learningRate)
{
    m_lr = learningRate;
    const at::NoGradGuard noGrad;
    std::vector<at::Tensor> gradients;
    gradients.reserve(m_parameters.size());
    for (const at::Tensor& parameter : m_parameters)
        gradients.push_back(parameter.grad());
    if (m_kind == OptimizerKind::AdamW)
        stepAdamW(gradients);
    else
        stepSgd(gradients);
    m_firstStep = false;
}

void Optimizer::stepSgd(const std::vector<at::Tensor>& gradients)
{
    const std::vector<at::Tensor> buffers = m_state.empty() ? std::vector<at::Tensor>{} : m_state[0].tensors;
    at::_fused_sgd_(m_parameters, gradients, buffers, m_decay, m_momentum, m_lr, kDampening, m_nesterov, false,
                    m_firstStep);
}

void Optimizer::stepAdamW(const std::vector<at::Tensor>& gradients)
{
    std::vector<at::Tensor>& steps = m_state[0].tensors;
    for (at::Tensor& step : steps)
        step.add_(1);
    at::_fused_adamw_(m_parameters, gradients, m_state[1].tensors, m_state[2].tensors, {}, steps, m_lr, kBeta1, kBeta2,
                      m_decay, kEpsilon, false, false);
}

void Optimizer::zeroGradients()
{
    const at::NoGradGuard noGrad;
    for (at::Tensor& parameter : m_parameters) {
        if (at::Tensor& gradient = parameter.mutable_grad(); gradient.defined())
            gradient.zero_();
    }
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
    const std::vector<double> betas{kBeta1, kBeta2};
    return {{"lr", m_lr},       {"betas", betas},    {"eps", kEpsilon}, {"weight_decay", m_decay},
            {"amsgrad", false}, {"maximize", false}, {"fused", true}};
}

void Optimizer::stateWasLoaded(std::int64_t stepsDone)
{
    m_firstStep = stepsDone == 0;
}

} // namespace lockstep::trainer
