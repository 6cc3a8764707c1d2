// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/data/imagememory.h"

#include "trainer/data/augment.h"
#include "trainer/failure.h"

#include <algorithm>

namespace lockstep::trainer {

ImageMemory::ImageMemory(std::array<std::int64_t, 4> shape, std::vector<std::uint8_t> pixels,
                         std::vector<std::uint8_t> labels, std::int64_t classes)
    : m_count(shape[0]), m_shape{SampleKind::Image, shape[1], shape[2], shape[3]}, m_pixels(std::move(pixels)),
      m_labels(std::move(labels)), m_scale(std::vector<ChannelStatistics>(static_cast<std::size_t>(shape[1])))
{
    if (static_cast<std::int64_t>(m_labels.size()) != count())
        throw Failure(ExitCode::Data, "there are " + std::to_string(count()) + " images, but " +
                                          std::to_string(m_labels.size()) + " labels");
    if (static_cast<std::int64_t>(m_pixels.size()) != count() * m_shape.inputs())
        throw Failure(ExitCode::Data, "the images have " + std::to_string(m_pixels.size()) + " pixels, not " +
                                          std::to_string(count() * m_shape.inputs()));
    const std::int64_t seen = count() == 0 ? 0 : *std::ranges::max_element(m_labels) + 1;
    if (classes > 0 && seen > classes)
        throw Failure(ExitCode::Data, "there is a label " + std::to_string(seen - 1) + ", but only " +
                                          std::to_string(classes) + " classes");
    m_shape.classes = classes > 0 ? classes : seen;
}

std::vector<ChannelStatistics> ImageMemory::statistics() const
{
    return statisticsOf(m_pixels, m_shape.channels, m_shape.height * m_shape.width);
}

void ImageMemory::normalise(const std::vector<ChannelStatistics>& channels)
{
    m_scale = ByteScale(channels);
}

void ImageMemory::read(std::span<const std::int64_t> indices, const Draw& draw, const BatchMemory& memory) const
{
    const auto size = static_cast<std::size_t>(m_shape.inputs());
    const std::int64_t plane = m_shape.height * m_shape.width;
    float* into = memory.images;
    std::int64_t* labels = memory.targets;
    for (const std::int64_t index : indices) {
        const std::uint8_t* image = m_pixels.data() + static_cast<std::size_t>(index) * size;
        *labels++ = m_labels[static_cast<std::size_t>(index)];
        if (m_augment != Augment::None) {
            into = readShifted(image, draw, index, into);
            continue;
        }
        for (std::int64_t channel = 0; channel < m_shape.channels; ++channel, image += plane)
            into = std::transform(image, image + plane, into,
                                  [&values = m_scale.of(channel)](std::uint8_t pixel) { return values[pixel]; });
    }
}

float* ImageMemory::readShifted(const std::uint8_t* image, const Draw& draw, std::int64_t index, float* into) const
{
    const Shift shift = shiftFor(m_augment, draw, index);
    const std::int64_t width = m_shape.width;
    const std::int64_t first = std::clamp<std::int64_t>(-shift.right, 0, width); // columns [first, last) have pixels
    const std::int64_t last = std::clamp<std::int64_t>(width - shift.right, first, width);
    for (std::int64_t channel = 0; channel < m_shape.channels; ++channel, image += m_shape.height * width) {
        const std::array<float, 256>& values = m_scale.of(channel);
        for (std::int64_t y = 0; y < m_shape.height; ++y, into += width) {
            std::fill(into, into + width, values[0]);
            const std::int64_t from = y + shift.down;
            if (from >= 0 && from < m_shape.height) {
                const std::uint8_t* row = image + from * width + shift.right;
                std::transform(row + first, row + last, into + first,
                               [&](std::uint8_t pixel) { return values[pixel]; });
            }
            if (shift.mirrored == Mirrored::Yes)
                std::reverse(into, into + width);
        }
    }
    return into;
}

} // namespace lockstep::trainer
