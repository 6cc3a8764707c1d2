// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/epochmean.h"

#include <ATen/ATen.h>

namespace lockstep::trainer {

void EpochMean::begin(std::int64_t taken)
{
    if (taken == 0)
        m_sums = {};
    m_before = m_sums.samples;
    m_start = std::chrono::steady_clock::now();
}

void EpochMean::add(const StepResult& step)
{
    m_sums.loss += step.loss * static_cast<double>(step.samples);
    m_sums.samples += static_cast<double>(step.samples);
}

EpochResult EpochMean::over(ProcessGroup& group) const
{
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
    at::Tensor sums = at::tensor({m_sums.loss, m_sums.samples, m_sums.samples - m_before}, at::kDouble);
    group.sum(sums);
    EpochResult result;
    result.trainLoss = sums[0].item<double>() / sums[1].item<double>();
    result.samplesPerS = sums[2].item<double>() / seconds;
    return result;
}

} // namespace lockstep::trainer
