// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/records/steprecorder.h"

#include <ATen/ATen.h>

#include <utility>

namespace lockstep::trainer {

StepRecorder::StepRecorder(StepMetrics& metrics, StepClock& clock, const Device&) : m_metrics(metrics), m_clock(clock)
{
}

void StepRecorder::forward(const at::Tensor& loss, const Batch& batch)
{
    m_loss += loss.item<double>() * static_cast<double>(batch.samples);
    m_samples += batch.samples;
    m_tokens += batch.tokens;
}

std::optional<StepResult> StepRecorder::step(const StepResult& known)
{
    StepResult result = known;
    result.samples = std::exchange(m_samples, 0);
    if (result.samples == 0) { // it only kept the others company: there is no loss
        m_loss = 0;
        (void)m_clock.take();
        return std::nullopt;
    }
    result.tokens = std::exchange(m_tokens, 0);
    result.loss = std::exchange(m_loss, 0) / static_cast<double>(result.samples);
    result.parts = m_clock.take();
    m_metrics.add(result);
    return result;
}

std::optional<StepResult> StepRecorder::finish()
{
    m_metrics.finish();
    return std::nullopt;
}

} // namespace lockstep::trainer
