// SPDX-License-Identifier: GPL-3.0-or-later
// Labelled images in memory, one byte a pixel, and the gather that makes a normalised float batch of them.
#pragma once

#include "trainer/data/dataset.h"

#include <array>
#include <vector>

namespace lockstep::trainer {

class ImageMemory : public Dataset {
public:
    // Throws Failure(Data) when the two do not fit one another. shape: count, channels, height, width.
    ImageMemory(std::array<std::int64_t, 4> shape, std::vector<std::uint8_t> pixels, std::vector<std::uint8_t> labels);

    [[nodiscard]] std::int64_t count() const override { return m_count; }
    [[nodiscard]] const SampleShape& shape() const override { return m_shape; } // classes: highest label + 1
    void read(std::span<const std::int64_t> indices, const Draw& draw, const BatchMemory& memory) const override;

    struct Statistics { // of pixel / 255
        float mean = 0;
        float deviation = 1;
    };
    [[nodiscard]] Statistics statistics() const;
    void normalise(Statistics statistics); // what read subtracts and divides by

private:
    std::int64_t m_count;
    SampleShape m_shape;
    std::vector<std::uint8_t> m_pixels;
    std::vector<std::uint8_t> m_labels;
    std::array<float, 256> m_values{}; // the normalised value of each byte
};

} // namespace lockstep::trainer
