// SPDX-License-Identifier: GPL-3.0-or-later
// Labelled images in memory, one byte a pixel, and the gather that makes a normalised float batch of them. Knows no
// tensor: it fills memory it is given, so it is tested without LibTorch.
#pragma once

#include "trainer/options.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lockstep::trainer {

class Dataset {
public:
    // Throws Failure(Data) when the two do not fit one another.
    Dataset(std::array<std::int64_t, 4> shape, std::vector<std::uint8_t> pixels, std::vector<std::uint8_t> labels);

    [[nodiscard]] std::int64_t count() const { return m_shape[0]; }
    [[nodiscard]] std::int64_t channels() const { return m_shape[1]; }
    [[nodiscard]] std::int64_t height() const { return m_shape[2]; }
    [[nodiscard]] std::int64_t width() const { return m_shape[3]; }
    [[nodiscard]] std::int64_t pixelsPerImage() const { return m_shape[1] * m_shape[2] * m_shape[3]; }
    [[nodiscard]] int classes() const { return m_classes; } // highest label + 1

    struct Statistics { // of pixel / 255
        float mean = 0;
        float deviation = 1;
    };
    [[nodiscard]] Statistics statistics() const;
    void normalise(Statistics statistics); // what gather subtracts and divides by

    // images: indices.size() * pixelsPerImage() floats; labels: indices.size().
    void gather(std::span<const std::int64_t> indices, float* images, std::int64_t* labels) const;

private:
    std::array<std::int64_t, 4> m_shape; // count, channels, height, width
    std::vector<std::uint8_t> m_pixels;
    std::vector<std::uint8_t> m_labels;
    std::array<float, 256> m_values{}; // the normalised value of each byte
    int m_classes = 0;
};

struct DataSplit {
    Dataset train;
    Dataset test;
};

[[nodiscard]] DataSplit loadData(const Options& options);

} // namespace lockstep::trainer
