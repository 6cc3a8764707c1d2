// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/data/dataset.h"

#include "trainer/data/idxfile.h"
#include "trainer/data/imagememory.h"
#include "trainer/failure.h"

#include <algorithm>
#include <random>

namespace lockstep::trainer {

namespace {

constexpr ImageMemory::Statistics kFashionMnist{0.2860F,
                                                0.3530F}; // of its training images, as every published recipe has them
constexpr std::int64_t kSyntheticSide = 28;
constexpr int kSyntheticClasses = 10;
constexpr std::int64_t kSyntheticTestShare = 5; // one test image for so many training images

std::unique_ptr<ImageMemory> readPair(const std::string& folder, const std::string& split)
{
    IdxArray images = readIdx(folder + "/" + split + "-images-idx3-ubyte", 3);
    IdxArray labels = readIdx(folder + "/" + split + "-labels-idx1-ubyte", 1);
    return std::make_unique<ImageMemory>(std::array{images.sizes[0], std::int64_t{1}, images.sizes[1], images.sizes[2]},
                                         std::move(images.bytes), std::move(labels.bytes));
}

// A bright bar a class, moved by a few pixels and under noise: a net learns it, a bug in the training shows.
std::unique_ptr<ImageMemory> synthetic(std::int64_t count, std::uint64_t seed)
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
    return std::make_unique<ImageMemory>(std::array{count, std::int64_t{1}, kSide, kSide}, std::move(pixels),
                                         std::move(labels));
}

} // namespace

DataSplit loadData(const Options& options)
{
    std::unique_ptr<ImageMemory> train;
    std::unique_ptr<ImageMemory> test;
    if (options.data == DataKind::Synthetic) {
        const auto seed = static_cast<std::uint64_t>(options.seed);
        const std::int64_t tests = std::max<std::int64_t>(1, options.syntheticSamples / kSyntheticTestShare);
        train = synthetic(options.syntheticSamples, 2 * seed + 1);
        test = synthetic(tests, 2 * seed + 2);
    } else {
        train = readPair(options.dataPath, "train");
        test = readPair(options.dataPath, "t10k");
    }
    if (train->shape().height != test->shape().height || train->shape().width != test->shape().width)
        throw Failure(ExitCode::Data, options.dataPath + ": training and test images differ in size");
    if (test->shape().classes > train->shape().classes)
        throw Failure(ExitCode::Data,
                      options.dataPath + ": the test labels have classes that the training labels lack");
    const auto statistics = options.data == DataKind::FashionMnist ? kFashionMnist : train->statistics();
    train->normalise(statistics);
    test->normalise(statistics);
    return {std::move(train), std::move(test)};
}

} // namespace lockstep::trainer
