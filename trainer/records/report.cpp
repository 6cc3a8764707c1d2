// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/records/report.h"

#include "core/wire/encoder.h"
#include "core/wire/kinds.h"

#include "trainer/numbertext.h"

#include <array>
#include <cstdio>
#include <utility>

namespace lockstep::trainer {

namespace {

template <typename... Values>
std::string printed(const char* format, Values... values)
{
    std::array<char, 256> text{};
    std::snprintf(text.data(), text.size(), format, values...);
    return text.data();
}

std::string epochLine(const EpochResult& result, std::int64_t epochs)
{
    std::string text = printed("epoch %.4g/%lld  train loss ", result.epoch, static_cast<long long>(epochs)) +
                       numberText(result.trainLoss, 4);
    if (result.test)
        text += "  test loss " + numberText(result.test->loss, 4) +
                printed("  test accuracy %.2f %%", 100 * result.test->accuracy);
    if (result.test && result.test->perplexity)
        text += "  test perplexity " + numberText(*result.test->perplexity, 2);
    return text + printed("  %.0f samples/s", result.samplesPerS);
}

} // namespace

void Report::info(const Facts& facts)
{
    if (facts.empty())
        return;
    std::string record;
    wire::Encoder encoder(record);
    encoder.begin(wire::kind::kInfo, m_writer.rank(), monotonicUs());
    addFacts(encoder, facts);
    encoder.end();
    m_writer.write(record);
}

void Report::line(const std::string& text)
{
    if (m_writer.rank() != 0)
        return;
    std::puts(text.c_str());
    std::fflush(stdout);
}

void Report::epoch(const EpochResult& result)
{
    if (m_writer.rank() != 0)
        return;
    std::string record;
    wire::Encoder encoder(record);
    encoder.begin(wire::kind::kMetric, m_writer.rank(), monotonicUs())
        .field("step", result.step)
        .field("epoch", result.epoch)
        .field("train_loss", result.trainLoss);
    if (result.test) {
        encoder.field("test_loss", result.test->loss)
            .field("test_accuracy", result.test->accuracy)
            .field("test_top5", result.test->top5);
        if (result.test->perplexity)
            encoder.field("test_perplexity", *result.test->perplexity);
    }
    encoder.end();
    m_writer.write(record);
    line(epochLine(result, m_epochs));
}

void Report::noGradient(const std::string& parameter)
{
    if (m_writer.rank() != 0)
        return;
    info({{"no_gradient", parameter}});
    std::fprintf(stderr, "lockstep-trainer: %s has had no gradient, or zero, on any rank for many steps\n",
                 parameter.c_str());
}

void Report::warning(const std::string& text)
{
    info({{"warning", text}});
    std::fprintf(stderr, "lockstep-trainer: rank %d: %s\n", m_writer.rank(), text.c_str());
}

void Report::noCheckpoint(std::int64_t step, const std::string& why)
{
    if (m_writer.rank() != 0)
        return;
    info({{"checkpoint_error", why}, {"checkpoint_step", step}});
    if (std::exchange(m_noCheckpoint, true))
        return;
    std::fprintf(stderr, "lockstep-trainer: no checkpoint at step %lld, training goes on: %s\n",
                 static_cast<long long>(step), why.c_str());
}

void Report::checkpoint(const WrittenCheckpoint& written)
{
    m_noCheckpoint = false;
    info({{"checkpoint", written.path},
          {"checkpoint_step", written.step},
          {"checkpoint_seconds", written.seconds},
          {"checkpoint_bytes", written.bytes}});
    line("checkpoint " + written.path + " at step " + std::to_string(written.step));
}

} // namespace lockstep::trainer
