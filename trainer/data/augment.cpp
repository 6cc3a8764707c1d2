// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/data/augment.h"

#include "trainer/data/samplerandom.h"

#include <algorithm>
#include <cmath>

namespace lockstep::trainer {

namespace {

constexpr std::int64_t kBorder = 4;
constexpr double kMiddle = 224.0 / 256.0;
// torchvision's defaults: 8 % to all of the area, sides up to 3:4, ten tries.
constexpr double kLeastArea = 0.08;
constexpr double kWidest = 4.0 / 3.0;
constexpr int kTries = 10;

Mirrored coin(Augment augment, SampleRandom& random)
{
    return augment == Augment::CropFlip && random.below(2) == 1 ? Mirrored::Yes : Mirrored::No;
}

Crop middle(double width, double height, double cropWidth, double cropHeight)
{
    return {(width - cropWidth) / 2, (height - cropHeight) / 2, cropWidth, cropHeight};
}

Crop randomPart(SampleRandom& random, double width, double height)
{
    for (int i = 0; i < kTries; ++i) {
        const double area = width * height * random.between(kLeastArea, 1);
        const double ratio = std::exp(random.between(-std::log(kWidest), std::log(kWidest)));
        const double cropWidth = std::round(std::sqrt(area * ratio));
        const double cropHeight = std::round(std::sqrt(area / ratio));
        if (cropWidth < 1 || cropHeight < 1 || cropWidth > width || cropHeight > height)
            continue;
        const auto left = random.below(static_cast<std::int64_t>(width - cropWidth) + 1);
        const auto top = random.below(static_cast<std::int64_t>(height - cropHeight) + 1);
        return {static_cast<double>(left), static_cast<double>(top), cropWidth, cropHeight};
    }
    // A very long image: its middle, as wide as may be.
    return middle(width, height, std::min(width, height * kWidest), std::min(height, width * kWidest));
}

} // namespace

Shift shiftFor(Augment augment, const Draw& draw, std::int64_t index)
{
    if (augment == Augment::None)
        return {};
    SampleRandom random(draw, index);
    Shift shift;
    shift.right = random.below(2 * kBorder + 1) - kBorder;
    shift.down = random.below(2 * kBorder + 1) - kBorder;
    shift.mirrored = coin(augment, random);
    return shift;
}

Crop cropFor(Augment augment, const Draw& draw, std::int64_t index, std::int64_t width, std::int64_t height)
{
    const auto w = static_cast<double>(width);
    const auto h = static_cast<double>(height);
    if (augment == Augment::None) {
        const double side = std::min(w, h) * kMiddle;
        return middle(w, h, side, side);
    }
    SampleRandom random(draw, index);
    Crop crop = randomPart(random, w, h);
    crop.mirrored = coin(augment, random);
    return crop;
}

} // namespace lockstep::trainer
