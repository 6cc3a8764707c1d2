// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/records/stepmetrics.h"

#include "core/wire/encoder.h"
#include "core/wire/kinds.h"

#include <string>
#include <utility>

namespace lockstep::trainer {

namespace {

constexpr std::int64_t kSecondUs = 1'000'000;

} // namespace

StepMetrics::StepMetrics(MetricWriter& writer, Clock clock)
    : m_writer(writer), m_clock(std::move(clock)), m_lastUs(m_clock())
{
}

void StepMetrics::begin()
{
    m_lastUs = m_clock();
}

void StepMetrics::add(const StepResult& step)
{
    const StepResult before = std::exchange(m_sum, step);
    m_sum.loss += before.loss;
    m_sum.samples += before.samples;
    m_sum.tokens += before.tokens;
    m_sum.skipped += before.skipped;
    if (!m_sum.gradNorm) // not measured in every step
        m_sum.gradNorm = before.gradNorm;
    m_sum.parts.data += before.parts.data;
    m_sum.parts.toDevice += before.parts.toDevice;
    m_sum.parts.forward += before.parts.forward;
    m_sum.parts.backward += before.parts.backward;
    m_sum.parts.wait += before.parts.wait;
    m_sum.parts.optimizer += before.parts.optimizer;
    ++m_steps;
    const std::int64_t now = m_clock();
    if (now - m_lastUs >= kSecondUs / kMostPerSecond)
        emit(now);
}

void StepMetrics::finish()
{
    if (m_steps > 0)
        emit(m_clock());
}

void StepMetrics::emit(std::int64_t now)
{
    const auto n = static_cast<double>(m_steps);
    const double seconds = static_cast<double>(now - m_lastUs) / static_cast<double>(kSecondUs);
    std::string record;
    wire::Encoder encoder(record);
    encoder.begin(wire::kind::kMetric, m_writer.rank(), now)
        .field("step", m_sum.step)
        .field("epoch", m_sum.epoch)
        .field("loss", m_sum.loss / n)
        .field("lr", m_sum.lr);
    if (seconds > 0)
        encoder.field("samples_per_s", static_cast<double>(m_sum.samples) / seconds);
    if (m_sum.gradNorm)
        encoder.field("grad_norm", *m_sum.gradNorm);
    if (m_sum.lossScale)
        encoder.field("loss_scale", *m_sum.lossScale);
    if (m_sum.skipped > 0)
        encoder.field("skipped", m_sum.skipped);
    encoder.field("samples", m_sum.samples)
        .field("steps", m_steps)
        .field("data_ms", m_sum.parts.data / n)
        .field("forward_ms", m_sum.parts.forward / n)
        .field("backward_ms", m_sum.parts.backward / n)
        .field("wait_ms", m_sum.parts.wait / n)
        .field("optimizer_ms", m_sum.parts.optimizer / n)
        .end();
    m_writer.write(record);
    m_lastUs = now;
    m_steps = 0;
    m_sum = {};
}

} // namespace lockstep::trainer
