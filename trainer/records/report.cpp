// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/records/report.h"

#include "core/wire/encoder.h"
#include "core/wire/kinds.h"

#include <array>
#include <cstdio>

namespace lockstep::trainer {

void Report::info(const Facts& facts)
{
    std::string record;
    wire::Encoder encoder(record);
    encoder.begin(wire::kind::kInfo, m_writer.rank(), monotonicUs());
    for (const auto& [key, value] : facts) {
        if (const auto* text = std::get_if<std::string>(&value))
            encoder.field(key, *text);
        else if (const auto* real = std::get_if<double>(&value))
            encoder.field(key, *real);
        else
            encoder.field(key, std::get<std::int64_t>(value));
    }
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
    wire::Encoder(record)
        .begin(wire::kind::kMetric, m_writer.rank(), monotonicUs())
        .field("step", result.step)
        .field("epoch", result.epoch)
        .field("train_loss", result.trainLoss)
        .field("test_loss", result.testLoss)
        .field("test_accuracy", result.testAccuracy)
        .end();
    m_writer.write(record);
    std::array<char, 256> text{};
    std::snprintf(text.data(), text.size(),
                  "epoch %.4g/%lld  train loss %.4f  test loss %.4f  test accuracy %.2f %%  %.0f samples/s",
                  result.epoch, static_cast<long long>(m_epochs), result.trainLoss, result.testLoss,
                  100 * result.testAccuracy, result.samplesPerS);
    line(text.data());
}

void Report::checkpoint(const std::string& path, std::int64_t step)
{
    info({{"checkpoint", path}, {"checkpoint_step", step}});
    line("checkpoint " + path + " at step " + std::to_string(step));
}

} // namespace lockstep::trainer
