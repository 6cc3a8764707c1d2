// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/data/imagememory.h"

#include "trainer/failure.h"

#include <algorithm>
#include <cmath>

namespace lockstep::trainer {

ImageMemory::ImageMemory(std::array<std::int64_t, 4> shape, std::vector<std::uint8_t> pixels,
                         std::vector<std::uint8_t> labels)
    : m_count(shape[0]), m_shape{SampleKind::Image, shape[1], shape[2], shape[3]}, m_pixels(std::move(pixels)),
      m_labels(std::move(labels))
{
    if (static_cast<std::int64_t>(m_labels.size()) != count())
        throw Failure(ExitCode::Data, "there are " + std::to_string(count()) + " images, but " +
                                          std::to_string(m_labels.size()) + " labels");
    if (static_cast<std::int64_t>(m_pixels.size()) != count() * m_shape.inputs())
        throw Failure(ExitCode::Data, "the images have " + std::to_string(m_pixels.size()) + " pixels, not " +
                                          std::to_string(count() * m_shape.inputs()));
    m_shape.classes = count() == 0 ? 0 : *std::ranges::max_element(m_labels) + 1;
    normalise({});
}

ImageMemory::Statistics ImageMemory::statistics() const
{
    std::array<std::int64_t, 256> histogram{};
    for (const std::uint8_t pixel : m_pixels)
        ++histogram[pixel];
    double sum = 0;
    double squares = 0;
    for (std::size_t v = 0; v < histogram.size(); ++v) {
        const double value = static_cast<double>(v) / 255;
        sum += value * static_cast<double>(histogram[v]);
        squares += value * value * static_cast<double>(histogram[v]);
    }
    const double n = std::max<double>(1, static_cast<double>(m_pixels.size()));
    const double mean = sum / n;
    const double deviation = std::sqrt(std::max(0.0, squares / n - mean * mean));
    return {static_cast<float>(mean), deviation > 0 ? static_cast<float>(deviation) : 1.0F};
}

void ImageMemory::normalise(Statistics statistics)
{
    // In floats and step by step, as tensor.float().div(255).sub(mean).div(deviation) rounds.
    for (std::size_t v = 0; v < m_values.size(); ++v)
        m_values[v] = (static_cast<float>(v) / 255.0F - statistics.mean) / statistics.deviation;
}

void ImageMemory::read(std::span<const std::int64_t> indices, const Draw&, const BatchMemory& memory) const
{
    const auto size = static_cast<std::size_t>(m_shape.inputs());
    float* images = memory.images;
    std::int64_t* labels = memory.targets;
    for (const std::int64_t index : indices) {
        const std::uint8_t* from = m_pixels.data() + static_cast<std::size_t>(index) * size;
        images = std::transform(from, from + size, images, [this](std::uint8_t pixel) { return m_values[pixel]; });
        *labels++ = m_labels[static_cast<std::size_t>(index)];
    }
}

} // namespace lockstep::trainer
