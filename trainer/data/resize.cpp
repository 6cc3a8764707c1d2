// SPDX-License-Identifier: GPL-3.0-or-later
// Floats here hold whole numbers only. A weight is at most 2^16 and a pixel at most 255, so every sum stays below 2^24,
// where floats are exact: no order and no fused multiplication changes a result, and four channels go through one
// register of any machine's.
#include "trainer/data/resize.h"

#include <algorithm>
#include <cmath>

namespace lockstep::trainer {

namespace {

constexpr float kOne = 1 << 16; // the sum of a pixel's weights
constexpr std::int64_t kChannels = PixelImage::kChannels;

using Pixel = float __attribute__((vector_size(16))); // red, green, blue, nothing
using Whole = std::int32_t __attribute__((vector_size(16)));

// What the pixels of a row (or column) of the result are made of.
struct Weights {
    std::vector<std::int64_t> first; // source pixel, for each of the result's
    std::vector<float> values;       // `most` for each; those that are not needed are 0
    std::int64_t most = 0;

    std::int64_t begin = 0; // the source pixels that have a part in any
    std::int64_t end = 0;

    [[nodiscard]] const float* of(std::int64_t i) const { return values.data() + i * most; }
};

// Pillow's Resample.c, precompute_coeffs.
Weights weightsFor(double from, double length, std::int64_t sourceSize, std::int64_t size)
{
    const double scale = length / static_cast<double>(size);
    const double reach = std::max(scale, 1.0); // of the triangle, to each side
    Weights weights;
    std::vector<std::int64_t> ends;
    for (std::int64_t i = 0; i < size; ++i) {
        const double center = from + (static_cast<double>(i) + 0.5) * scale;
        weights.first.push_back(std::max<std::int64_t>(0, std::llround(center - reach)));
        ends.push_back(std::min<std::int64_t>(sourceSize, std::llround(center + reach)));
        weights.most = std::max(weights.most, ends.back() - weights.first.back());
    }
    weights.values.resize(static_cast<std::size_t>(size * weights.most));
    for (std::int64_t i = 0; i < size; ++i) {
        const double center = from + (static_cast<double>(i) + 0.5) * scale;
        const auto weightOf = [&](std::int64_t x) {
            return std::max(0.0, 1 - std::abs(static_cast<double>(x) - center + 0.5) / reach);
        };
        std::int64_t& first = weights.first[static_cast<std::size_t>(i)];
        const std::int64_t end = ends[static_cast<std::size_t>(i)];
        double sum = 0;
        for (std::int64_t x = first; x < end; ++x)
            sum += weightOf(x);
        float* own = weights.values.data() + i * weights.most;
        const std::int64_t start = std::min(first, sourceSize - weights.most); // all `most` lie within the source
        double until = 0; // rounding the sums, not the weights, makes these kOne together
        for (std::int64_t x = first; x < end; ++x) {
            const double before = std::round(until / sum * kOne);
            until += weightOf(x);
            own[x - start] = static_cast<float>(std::round(until / sum * kOne) - before);
        }
        first = start;
    }
    weights.begin = *std::ranges::min_element(weights.first);
    weights.end = *std::ranges::max_element(weights.first) + weights.most;
    return weights;
}

Pixel asByte(Pixel sum)
{
    const Whole whole = __builtin_convertvector(sum + kOne / 2, Whole) >> 16;
    return __builtin_convertvector(whole, Pixel);
}

// Rows [rows.begin, rows.end) of the image, each as wide as the result.
std::vector<Pixel> across(const PixelImage& image, const Weights& columns, const Weights& rows)
{
    const auto width = static_cast<std::int64_t>(columns.first.size());
    std::vector<Pixel> result;
    result.reserve(static_cast<std::size_t>(width * (rows.end - rows.begin)));
    std::vector<Pixel> source(static_cast<std::size_t>(columns.end - columns.begin));
    for (std::int64_t y = rows.begin; y < rows.end; ++y) {
        const std::uint8_t* from =
            image.pixels.data() + static_cast<std::size_t>(y) * image.rowBytes() + columns.begin * kChannels;
        for (Pixel& pixel : source) {
            pixel = Pixel{static_cast<float>(from[0]), static_cast<float>(from[1]), static_cast<float>(from[2]), 0};
            from += kChannels;
        }
        for (std::int64_t x = 0; x < width; ++x) {
            const float* weight = columns.of(x);
            const Pixel* pixel = source.data() + columns.first[static_cast<std::size_t>(x)] - columns.begin;
            Pixel sum{};
            for (std::int64_t k = 0; k < columns.most; ++k)
                sum += pixel[k] * weight[k];
            result.push_back(asByte(sum));
        }
    }
    return result;
}

PixelImage down(const std::vector<Pixel>& source, const Weights& rows, std::int64_t width)
{
    const auto height = static_cast<std::int64_t>(rows.first.size());
    PixelImage result{width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(width * height * kChannels))};
    std::uint8_t* into = result.pixels.data();
    for (std::int64_t y = 0; y < height; ++y) {
        const float* weight = rows.of(y);
        const Pixel* from = source.data() + (rows.first[static_cast<std::size_t>(y)] - rows.begin) * width;
        for (std::int64_t x = 0; x < width; ++x) {
            Pixel sum{};
            for (std::int64_t k = 0; k < rows.most; ++k)
                sum += from[k * width + x] * weight[k];
            const Pixel bytes = asByte(sum);
            for (std::int64_t channel = 0; channel < kChannels; ++channel)
                *into++ = static_cast<std::uint8_t>(bytes[channel]);
        }
    }
    return result;
}

void mirror(PixelImage& image)
{
    for (std::int64_t y = 0; y < image.height; ++y) {
        std::uint8_t* row = image.pixels.data() + static_cast<std::size_t>(y) * image.rowBytes();
        for (std::int64_t left = 0, right = image.width - 1; left < right; ++left, --right)
            std::swap_ranges(row + left * kChannels, row + (left + 1) * kChannels, row + right * kChannels);
    }
}

} // namespace

PixelImage resized(const PixelImage& image, const Crop& crop, std::int64_t width, std::int64_t height)
{
    const Weights columns = weightsFor(crop.left, crop.width, image.width, width);
    const Weights rows = weightsFor(crop.top, crop.height, image.height, height);
    PixelImage result = down(across(image, columns, rows), rows, width);
    if (crop.mirrored == Mirrored::Yes)
        mirror(result);
    return result;
}

} // namespace lockstep::trainer
