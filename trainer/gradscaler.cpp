// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/gradscaler.h"

#include "trainer/parallel/strategy.h"

namespace lockstep::trainer {

GradScaler::GradScaler(const Options& options, at::Device)
    : m_enabled(options.precision == Precision::Fp16), m_growthInterval(options.lossScaleEvery)
{
}

at::Tensor GradScaler::scaled(const at::Tensor& loss) const
{
    return loss;
}

void GradScaler::unscale(Strategy&) {}

bool GradScaler::foundInf() const
{
    return false;
}

void GradScaler::update() {}

double GradScaler::scale() const
{
    return 1;
}

GradScaler::State GradScaler::state() const
{
    return {};
}

void GradScaler::restore(const State&) {}

} // namespace lockstep::trainer
