// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/records/steprecorder.h"

#include <ATen/ATen.h>

#include <utility>

namespace lockstep::trainer {

StepRecorder::StepRecorder(StepMetrics& metrics, StepClock& clock, const Device& device)
    : m_metrics(metrics), m_clock(clock), m_late(!device.tensors.is_cpu())
{
}

void StepRecorder::forward(const at::Tensor& loss, const Batch& batch)
{
    m_running.result.samples += batch.samples;
    m_running.result.tokens += batch.tokens;
    if (batch.samples == 0) // a batch that only kept the others company
        return;
    if (m_late) {
        m_running.weights.push_back(static_cast<double>(batch.samples));
        m_running.onDevice.push_back(loss.detach());
    } else {
        m_running.result.loss += loss.item<double>() * static_cast<double>(batch.samples);
    }
}

std::optional<StepResult> StepRecorder::step(const StepResult& known)
{
    Running now = std::exchange(m_running, {});
    const StepResult sums = std::exchange(now.result, known);
    now.result.loss = sums.loss;
    now.result.samples = sums.samples;
    now.result.tokens = sums.tokens;
    if (!m_late) {
        m_clock.turn();
        return complete(std::move(now));
    }
    const std::optional<StepResult> done = completeLate();
    m_clock.turn();
    if (!now.onDevice.empty())
        m_losses.begin(now.onDevice.size() == 1 ? now.onDevice[0].reshape({1}) : at::stack(now.onDevice));
    now.onDevice.clear();
    m_before = std::move(now);
    return done;
}

std::optional<StepResult> StepRecorder::completeLate()
{
    if (!m_before)
        return std::nullopt;
    Running step = *std::exchange(m_before, std::nullopt);
    if (const auto losses = m_losses.take()) {
        const at::Tensor each = losses->to(at::kDouble);
        for (std::size_t i = 0; i < step.weights.size(); ++i)
            step.result.loss += each[static_cast<std::int64_t>(i)].item<double>() * step.weights[i];
    }
    return complete(std::move(step));
}

std::optional<StepResult> StepRecorder::complete(Running step)
{
    if (step.result.samples == 0)
        return std::nullopt;
    step.result.loss /= static_cast<double>(step.result.samples);
    step.result.parts = m_clock.finished();
    m_metrics.add(step.result);
    return std::move(step.result);
}

std::optional<StepResult> StepRecorder::finish()
{
    const std::optional<StepResult> last = completeLate();
    m_metrics.finish();
    return last;
}

} // namespace lockstep::trainer
