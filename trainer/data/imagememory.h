// SPDX-License-Identifier: GPL-3.0-or-later
// Labelled images in memory, one byte a pixel and channel, and the read that makes a normalised float batch of them.
#pragma once

#include "trainer/data/bytescale.h"
#include "trainer/data/dataset.h"

#include <array>
#include <vector>

namespace lockstep::trainer {

class ImageMemory : public Dataset {
public:
    // Throws Failure(Data) when the two do not fit one another. shape: count, channels, height, width. classes 0: the
    // highest label + 1.
    ImageMemory(std::array<std::int64_t, 4> shape, std::vector<std::uint8_t> pixels, std::vector<std::uint8_t> labels,
                std::int64_t classes = 0);

    [[nodiscard]] std::int64_t count() const override { return m_count; }
    [[nodiscard]] const SampleShape& shape() const override { return m_shape; }
    void read(std::span<const std::int64_t> indices, const Draw& draw, const BatchMemory& memory) const override;

    [[nodiscard]] std::vector<ChannelStatistics> statistics() const;
    void normalise(const std::vector<ChannelStatistics>& channels); // what read subtracts and divides by
    void augment(Augment augment) { m_augment = augment; }

private:
    float* readShifted(const std::uint8_t* image, const Draw& draw, std::int64_t index, float* into) const;

    std::int64_t m_count;
    SampleShape m_shape;
    std::vector<std::uint8_t> m_pixels;
    std::vector<std::uint8_t> m_labels;
    ByteScale m_scale;
    Augment m_augment = Augment::None;
};

} // namespace lockstep::trainer
