// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/dataset.h"

#include "trainer/failure.h"
#include "trainer/idxfile.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace lockstep::trainer {

namespace {

constexpr Dataset::Statistics kFashionMnist{0.2860F,
                                            0.3530F}; // of its training images, as every published recipe has them
constexpr std::int64_t kSyntheticSide = 28;
constexpr int kSyntheticClasses = 10;
constexpr std::int64_t kSyntheticTestShare = 5; // one test image for so many training images

Dataset readPair(const std::string& folder, const std::string& split)
{
    IdxArray images = readIdx(folder + "/" + split + "-images-idx3-ubyte", 3);
    IdxArray labels = readIdx(folder + "/" + split + "-labels-idx1-ubyte", 1);
    return Dataset({images.sizes[0], 1, images.sizes[1], images.sizes[2]}, std::move(images.bytes),
                   std::move(labels.bytes));
}

// A bright bar a class, moved by a few pixels and under noise: a net learns it, a bug in the training shows.
Dataset synthetic(std::int64_t count, std::uint64_t seed)
{
    constexpr std::int64_t kSide = kSyntheticSide;
    std::mt19937_64 random(seed);
    const auto below = [&random](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(count * kSide * kSide));
    std::vector<std::uint8_t> labels(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t label = below(kSyntheticClasses);
        labels[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(label);
        const std::int64_t bar = label % 5 * 5 + 2 + below(3); // classes 0-4 lie, 5-9 stand
        std::uint8_t* image = pixels.data() + i * kSide * kSide;
        for (std::int64_t y = 0; y < kSide; ++y) {
            for (std::int64_t x = 0; x < kSide; ++x) {
                const std::int64_t across = label < 5 ? y : x;
                const bool lit = across >= bar && across < bar + 2;
                image[y * kSide + x] = static_cast<std::uint8_t>((lit ? 120 : 0) + below(100));
            }
        }
    }
    return Dataset({count, 1, kSide, kSide}, std::move(pixels), std::move(labels));
}

} // namespace

Dataset::Dataset(std::array<std::int64_t, 4> shape, std::vector<std::uint8_t> pixels, std::vector<std::uint8_t> labels)
    : m_shape(shape), m_pixels(std::move(pixels)), m_labels(std::move(labels))
{
    if (static_cast<std::int64_t>(m_labels.size()) != count())
        throw Failure(ExitCode::Data, "there are " + std::to_string(count()) + " images, but " +
                                          std::to_string(m_labels.size()) + " labels");
    if (static_cast<std::int64_t>(m_pixels.size()) != count() * pixelsPerImage())
        throw Failure(ExitCode::Data, "the images have " + std::to_string(m_pixels.size()) + " pixels, not " +
                                          std::to_string(count() * pixelsPerImage()));
    m_classes = count() == 0 ? 0 : *std::ranges::max_element(m_labels) + 1;
    normalise({});
}

Dataset::Statistics Dataset::statistics() const
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

void Dataset::normalise(Statistics statistics)
{
    // In floats and step by step, as tensor.float().div(255).sub(mean).div(deviation) rounds.
    for (std::size_t v = 0; v < m_values.size(); ++v)
        m_values[v] = (static_cast<float>(v) / 255.0F - statistics.mean) / statistics.deviation;
}

void Dataset::gather(std::span<const std::int64_t> indices, float* images, std::int64_t* labels) const
{
    const auto size = static_cast<std::size_t>(pixelsPerImage());
    for (const std::int64_t index : indices) {
        const std::uint8_t* from = m_pixels.data() + static_cast<std::size_t>(index) * size;
        images = std::transform(from, from + size, images, [this](std::uint8_t pixel) { return m_values[pixel]; });
        *labels++ = m_labels[static_cast<std::size_t>(index)];
    }
}

DataSplit loadData(const Options& options)
{
    if (options.data == DataKind::Synthetic) {
        const auto seed = static_cast<std::uint64_t>(options.seed);
        const std::int64_t tests = std::max<std::int64_t>(1, options.syntheticSamples / kSyntheticTestShare);
        DataSplit split{synthetic(options.syntheticSamples, 2 * seed + 1), synthetic(tests, 2 * seed + 2)};
        const Dataset::Statistics statistics = split.train.statistics();
        split.train.normalise(statistics);
        split.test.normalise(statistics);
        return split;
    }
    DataSplit split{readPair(options.dataPath, "train"), readPair(options.dataPath, "t10k")};
    if (split.train.height() != split.test.height() || split.train.width() != split.test.width())
        throw Failure(ExitCode::Data, options.dataPath + ": training and test images differ in size");
    if (split.test.classes() > split.train.classes())
        throw Failure(ExitCode::Data,
                      options.dataPath + ": the test labels have classes that the training labels lack");
    const auto statistics = options.data == DataKind::FashionMnist ? kFashionMnist : split.train.statistics();
    split.train.normalise(statistics);
    split.test.normalise(statistics);
    return split;
}

} // namespace lockstep::trainer
