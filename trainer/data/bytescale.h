// SPDX-License-Identifier: GPL-3.0-or-later
// From bytes to what a net sees: (byte / 255 - mean) / deviation, a channel's own.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace lockstep::trainer {

struct ChannelStatistics { // of byte / 255
    float mean = 0;
    float deviation = 1;
};

class ByteScale {
public:
    explicit ByteScale(const std::vector<ChannelStatistics>& channels);

    [[nodiscard]] const std::array<float, 256>& of(std::int64_t channel) const
    {
        return m_values[static_cast<std::size_t>(channel)];
    }

private:
    std::vector<std::array<float, 256>> m_values;
};

// Of images that follow one another, channels × plane bytes each.
[[nodiscard]] std::vector<ChannelStatistics> statisticsOf(std::span<const std::uint8_t> images, std::int64_t channels,
                                                          std::int64_t plane);

} // namespace lockstep::trainer
