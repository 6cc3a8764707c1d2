// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/data/dataset.h"

#include "trainer/data/cifar.h"
#include "trainer/data/idxfile.h"
#include "trainer/data/imagefolder.h"
#include "trainer/data/imagememory.h"
#include "trainer/data/synthetic.h"
#include "trainer/data/tokenwindows.h"
#include "trainer/failure.h"

namespace lockstep::trainer {

namespace {

// Of its training images, as every published recipe has them.
constexpr ChannelStatistics kFashionMnist{0.2860F, 0.3530F};

std::unique_ptr<ImageMemory> readPair(const std::string& folder, const std::string& split)
{
    IdxArray images = readIdx(folder + "/" + split + "-images-idx3-ubyte", 3);
    IdxArray labels = readIdx(folder + "/" + split + "-labels-idx1-ubyte", 1);
    return std::make_unique<ImageMemory>(std::array{images.sizes[0], std::int64_t{1}, images.sizes[1], images.sizes[2]},
                                         std::move(images.bytes), std::move(labels.bytes));
}

DataSplit idxData(const Options& options)
{
    std::unique_ptr<ImageMemory> train = readPair(options.dataPath, "train");
    std::unique_ptr<ImageMemory> test = readPair(options.dataPath, "t10k");
    if (train->shape().height != test->shape().height || train->shape().width != test->shape().width)
        throw Failure(ExitCode::Data, options.dataPath + ": training and test images differ in size");
    if (test->shape().classes > train->shape().classes)
        throw Failure(ExitCode::Data,
                      options.dataPath + ": the test labels have classes that the training labels lack");
    const auto statistics = options.data == DataKind::FashionMnist ? std::vector{kFashionMnist} : train->statistics();
    train->normalise(statistics);
    test->normalise(statistics);
    train->augment(options.augment);
    return {std::move(train), std::move(test)};
}

DataSplit cifarData(const Options& options, CifarKind kind)
{
    std::unique_ptr<ImageMemory> train = readCifar(options.dataPath, kind, CifarPart::Train);
    train->augment(options.augment);
    return {std::move(train), readCifar(options.dataPath, kind, CifarPart::Test)};
}

} // namespace

DataSplit loadData(const Options& options)
{
    switch (options.data) {
    case DataKind::FashionMnist:
    case DataKind::Idx:
        return idxData(options);
    case DataKind::Cifar10:
        return cifarData(options, CifarKind::Ten);
    case DataKind::Cifar100:
        return cifarData(options, CifarKind::Hundred);
    case DataKind::Images:
        return imageFolderData(options);
    case DataKind::Tokens:
    case DataKind::Text:
        return tokenData(options);
    case DataKind::Synthetic:
        return syntheticData(options);
    }
    throw Failure(ExitCode::Options, "unknown data set");
}

} // namespace lockstep::trainer
