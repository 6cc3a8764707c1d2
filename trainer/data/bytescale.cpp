// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/data/bytescale.h"

#include <algorithm>
#include <cmath>

namespace lockstep::trainer {

namespace {

using Histogram = std::array<std::int64_t, 256>;

ChannelStatistics statisticsOf(const Histogram& histogram)
{
    double count = 0;
    double sum = 0;
    double squares = 0;
    for (std::size_t byte = 0; byte < histogram.size(); ++byte) {
        const double value = static_cast<double>(byte) / 255;
        const auto times = static_cast<double>(histogram[byte]);
        count += times;
        sum += value * times;
        squares += value * value * times;
    }
    const double mean = sum / std::max(1.0, count);
    const double deviation = std::sqrt(std::max(0.0, squares / std::max(1.0, count) - mean * mean));
    return {static_cast<float>(mean), deviation > 0 ? static_cast<float>(deviation) : 1.0F};
}

} // namespace

ByteScale::ByteScale(const std::vector<ChannelStatistics>& channels)
{
    // In floats and step by step, as tensor.float().div(255).sub(mean).div(deviation) rounds.
    for (const ChannelStatistics& channel : channels) {
        std::array<float, 256>& values = m_values.emplace_back();
        for (std::size_t byte = 0; byte < values.size(); ++byte)
            values[byte] = (static_cast<float>(byte) / 255.0F - channel.mean) / channel.deviation;
    }
}

std::vector<ChannelStatistics> statisticsOf(std::span<const std::uint8_t> images, std::int64_t channels,
                                            std::int64_t plane)
{
    std::vector<Histogram> histograms(static_cast<std::size_t>(channels));
    const auto size = static_cast<std::size_t>(plane);
    for (std::size_t channel = 0; !images.empty(); channel = (channel + 1) % histograms.size()) {
        for (const std::uint8_t byte : images.first(size))
            ++histograms[channel][byte];
        images = images.subspan(size);
    }
    std::vector<ChannelStatistics> statistics;
    statistics.reserve(histograms.size());
    for (const Histogram& histogram : histograms)
        statistics.push_back(statisticsOf(histogram));
    return statistics;
}

} // namespace lockstep::trainer
