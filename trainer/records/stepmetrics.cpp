// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/records/stepmetrics.h"

#include "core/wire/encoder.h"
#include "core/wire/kinds.h"

#include <string>
#include <utility>

namespace lockstep::trainer {

namespace {

constexpr std::int64_t kSecondUs = 1'000'000;

void addTo(StepParts& sum, const StepParts& parts)
{
    sum.data += parts.data;
    sum.toDevice += parts.toDevice;
    sum.forward += parts.forward;
    sum.backward += parts.backward;
    sum.wait += parts.wait;
    sum.optimizer += parts.optimizer;
}

} // namespace

StepMetrics::StepMetrics(MetricWriter& writer, Memory memory, Clock clock)
    : m_writer(writer), m_memory(std::move(memory)), m_clock(std::move(clock)), m_lastUs(m_clock())
{
}

void StepMetrics::begin()
{
    m_lastUs = m_clock();
}

void StepMetrics::add(const StepResult& step)
{
    if (!m_writer.enabled())
        return;
    m_sum.step = step.step;
    m_sum.epoch = step.epoch;
    m_sum.loss += step.loss;
    m_sum.lr = step.lr;
    m_sum.samples += step.samples;
    m_sum.tokens += step.tokens;
    m_sum.skipped += step.skipped;
    if (step.gradNorm)
        m_sum.gradNorm = step.gradNorm;
    if (step.lossScale)
        m_sum.lossScale = step.lossScale;
    addTo(m_sum.parts, step.parts);
    m_sum.more = step.more;
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
    const auto rate = [seconds](std::int64_t count) { return static_cast<double>(count) / seconds; };
    m_record.clear();
    wire::Encoder encoder(m_record);
    encoder.begin(wire::kind::kMetric, m_writer.rank(), now)
        .field("step", m_sum.step)
        .field("epoch", m_sum.epoch)
        .field("loss", m_sum.loss / n)
        .field("lr", m_sum.lr);
    if (m_sum.gradNorm)
        encoder.field("grad_norm", *m_sum.gradNorm);
    if (m_sum.lossScale)
        encoder.field("loss_scale", *m_sum.lossScale);
    if (m_sum.skipped > 0)
        encoder.field("skipped", m_sum.skipped);
    if (seconds > 0)
        encoder.field("samples_per_s", rate(m_sum.samples));
    if (seconds > 0 && m_sum.tokens > 0)
        encoder.field("tokens_per_s", rate(m_sum.tokens));
    encoder.field("samples", m_sum.samples).field("steps", m_steps).field("data_ms", m_sum.parts.data / n);
    if (m_sum.parts.toDevice > 0)
        encoder.field("to_device_ms", m_sum.parts.toDevice / n);
    encoder.field("forward_ms", m_sum.parts.forward / n)
        .field("backward_ms", m_sum.parts.backward / n)
        .field("wait_ms", m_sum.parts.wait / n)
        .field("optimizer_ms", m_sum.parts.optimizer / n);
    if (const MemoryUse memory = m_memory(); memory.now > 0)
        encoder.field("memory_bytes", memory.now).field("memory_peak_bytes", memory.peak);
    addFacts(encoder, m_sum.more);
    encoder.end();
    m_writer.write(m_record);
    m_lastUs = now;
    m_steps = 0;
    m_sum = {};
}

} // namespace lockstep::trainer
