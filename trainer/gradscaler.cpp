// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/gradscaler.h"

#include "trainer/parallel/strategy.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace lockstep::trainer {

namespace {

// torch.amp.GradScaler's defaults.
constexpr double kGrowth = 2;
constexpr double kBackoff = 0.5;

} // namespace

void multiplyAndCheck(Strategy& strategy, const at::Tensor& factor, at::Tensor& found)
{
    const at::NoGradGuard noGrad;
    std::vector<at::Tensor> gradients;
    gradients.reserve(strategy.parameters().size());
    for (const at::Tensor& parameter : strategy.parameters()) {
        if (const at::Tensor& gradient = parameter.grad(); gradient.defined())
            gradients.push_back(gradient);
    }
    found.zero_();
    if (!gradients.empty())
        at::_amp_foreach_non_finite_check_and_unscale_(gradients, found, factor);
    strategy.anyRank(found);
}

GradScaler::GradScaler(const Options& options, at::Device device)
    : m_enabled(options.precision == Precision::Fp16), m_growthInterval(options.lossScaleEvery)
{
    if (!m_enabled)
        return;
    const auto floats = at::TensorOptions().dtype(at::kFloat).device(device);
    m_scale = at::full({}, options.lossScale, floats);
    m_growthTracker = at::zeros({}, floats.dtype(at::kInt));
    m_foundInf = at::zeros({}, floats);
}

at::Tensor GradScaler::scaled(const at::Tensor& loss) const
{
    return m_enabled ? loss * m_scale : loss;
}

void GradScaler::unscale(Strategy& strategy)
{
    if (m_enabled) // the reciprocal in double, as Python: in float it can be a bit off
        multiplyAndCheck(strategy, m_scale.to(at::kDouble).reciprocal().to(at::kFloat), m_foundInf);
}

void GradScaler::update()
{
    if (m_enabled)
        at::_amp_update_scale_(m_scale, m_growthTracker, m_foundInf, kGrowth, kBackoff, m_growthInterval);
}

double GradScaler::scale() const
{
    return m_enabled ? m_scale.item<double>() : 1;
}

GradScaler::State GradScaler::state() const
{
    return m_enabled ? State{m_scale.item<double>(), kGrowth, kBackoff, m_growthInterval,
                             m_growthTracker.item<std::int64_t>()}
                     : State{};
}

void GradScaler::restore(const State& state)
{
    if (!m_enabled || state.scale <= 0) // none was kept: another precision wrote the checkpoint
        return;
    m_scale.fill_(state.scale);
    m_growthTracker.fill_(state.growthTracker);
}

} // namespace lockstep::trainer
