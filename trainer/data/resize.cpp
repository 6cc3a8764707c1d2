// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/data/resize.h"

#include <algorithm>
#include <cmath>

namespace lockstep::trainer {

namespace {

constexpr int kBits = 22;      // of a weight's fraction: 32 less 8 of the pixel and 2 to spare (Pillow, Resample.c)
constexpr double kSupport = 1; // the triangle's reach, in pixels of the smaller scale

// What each pixel of a row (or column) of the result is made of.
struct Weights {
    std::vector<std::int64_t> first; // source pixel, for each of the result's
    std::vector<std::int32_t> values;
    std::int64_t most = 0; // values of each; those that are not needed are 0

    [[nodiscard]] const std::int32_t* of(std::int64_t i) const { return values.data() + i * most; }
};

Weights weightsFor(double from, double length, std::int64_t sourceSize, std::int64_t size)
{
    const double scale = length / static_cast<double>(size);
    const double filterScale = std::max(scale, 1.0);
    const double support = kSupport * filterScale;
    Weights weights;
    weights.most = std::min(sourceSize, static_cast<std::int64_t>(std::ceil(support)) * 2 + 1);
    weights.values.resize(static_cast<std::size_t>(size * weights.most));
    std::vector<double> exact;
    for (std::int64_t i = 0; i < size; ++i) {
        const double center = from + (static_cast<double>(i) + 0.5) * scale;
        const std::int64_t first = std::max<std::int64_t>(0, static_cast<std::int64_t>(center - support + 0.5));
        const std::int64_t last = std::min(sourceSize, static_cast<std::int64_t>(center + support + 0.5));
        exact.clear();
        double sum = 0;
        for (std::int64_t x = first; x < last; ++x) {
            const double distance = std::abs(static_cast<double>(x) - center + 0.5) / filterScale;
            exact.push_back(std::max(0.0, 1 - distance));
            sum += exact.back();
        }
        for (std::size_t k = 0; k < exact.size(); ++k)
            weights.values[static_cast<std::size_t>(i * weights.most) + k] =
                static_cast<std::int32_t>(0.5 + exact[k] / sum * (1 << kBits));
        weights.first.push_back(std::min(first, sourceSize - weights.most)); // see below
        const std::int64_t moved = first - weights.first.back();
        if (moved > 0) { // so that all `most` values lie within the source
            std::int32_t* own = weights.values.data() + i * weights.most;
            std::rotate(own, own + (weights.most - moved), own + weights.most);
        }
    }
    return weights;
}

std::uint8_t rounded(std::int32_t sum)
{
    return static_cast<std::uint8_t>(std::clamp(sum >> kBits, 0, 255));
}

// Rows [firstRow, firstRow + rows) of the image, each made `width` wide.
PixelImage across(const PixelImage& image, const Weights& weights, std::int64_t width, std::int64_t firstRow,
                  std::int64_t rows)
{
    constexpr std::int64_t kChannels = PixelImage::kChannels;
    PixelImage result{width, rows, std::vector<std::uint8_t>(static_cast<std::size_t>(width * rows * kChannels))};
    std::uint8_t* into = result.pixels.data();
    for (std::int64_t y = 0; y < rows; ++y) {
        const std::uint8_t* row = image.pixels.data() + static_cast<std::size_t>(firstRow + y) * image.rowBytes();
        for (std::int64_t x = 0; x < width; ++x) {
            const std::int32_t* weight = weights.of(x);
            const std::uint8_t* from = row + weights.first[static_cast<std::size_t>(x)] * kChannels;
            std::int32_t sums[kChannels] = {1 << (kBits - 1), 1 << (kBits - 1), 1 << (kBits - 1)};
            for (std::int64_t k = 0; k < weights.most; ++k, from += kChannels) {
                for (std::int64_t channel = 0; channel < kChannels; ++channel)
                    sums[channel] += from[channel] * weight[k];
            }
            for (const std::int32_t sum : sums)
                *into++ = rounded(sum);
        }
    }
    return result;
}

PixelImage down(const PixelImage& image, const Weights& weights, std::int64_t firstRow, std::int64_t height)
{
    PixelImage result{image.width, height,
                      std::vector<std::uint8_t>(image.rowBytes() * static_cast<std::size_t>(height))};
    std::vector<std::int32_t> sums(image.rowBytes());
    std::uint8_t* into = result.pixels.data();
    for (std::int64_t y = 0; y < height; ++y) {
        std::ranges::fill(sums, 1 << (kBits - 1));
        const std::uint8_t* from =
            image.pixels.data() +
            static_cast<std::size_t>(weights.first[static_cast<std::size_t>(y)] - firstRow) * image.rowBytes();
        for (std::int64_t k = 0; k < weights.most; ++k, from += image.rowBytes()) {
            const std::int32_t weight = weights.of(y)[k];
            for (std::size_t x = 0; x < sums.size(); ++x)
                sums[x] += from[x] * weight;
        }
        into = std::ranges::transform(sums, into, rounded).out;
    }
    return result;
}

void mirror(PixelImage& image)
{
    for (std::int64_t y = 0; y < image.height; ++y) {
        std::uint8_t* row = image.pixels.data() + static_cast<std::size_t>(y) * image.rowBytes();
        for (std::int64_t left = 0, right = image.width - 1; left < right; ++left, --right)
            std::swap_ranges(row + left * PixelImage::kChannels, row + (left + 1) * PixelImage::kChannels,
                             row + right * PixelImage::kChannels);
    }
}

} // namespace

PixelImage resized(const PixelImage& image, const Crop& crop, std::int64_t width, std::int64_t height)
{
    const Weights columns = weightsFor(crop.left, crop.width, image.width, width);
    const Weights rows = weightsFor(crop.top, crop.height, image.height, height);
    const std::int64_t firstRow = *std::ranges::min_element(rows.first);
    const std::int64_t lastRow = *std::ranges::max_element(rows.first) + rows.most;
    PixelImage result = down(across(image, columns, width, firstRow, lastRow - firstRow), rows, firstRow, height);
    if (crop.mirrored == Mirrored::Yes)
        mirror(result);
    return result;
}

} // namespace lockstep::trainer
