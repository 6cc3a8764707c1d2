// SPDX-License-Identifier: GPL-3.0-or-later
// How a training image differs from epoch to epoch. Small images are shifted by up to four pixels over a black border
// (He et al. 2015, for CIFAR), photographs are cut to a random part (Szegedy et al. 2014, as torchvision's
// RandomResizedCrop); both are mirrored every second time where that is asked for.
#pragma once

#include "trainer/data/dataset.h"

#include <cstdint>

namespace lockstep::trainer {

enum class Mirrored { No, Yes };

struct Shift { // pixel (x, y) of the result is pixel (x + right, y + down) of the image
    std::int64_t right = 0;
    std::int64_t down = 0;
    Mirrored mirrored = Mirrored::No; // after the shift
};

struct Crop { // of an image, in its pixels
    double left = 0;
    double top = 0;
    double width = 0;
    double height = 0;
    Mirrored mirrored = Mirrored::No;
};

[[nodiscard]] Shift shiftFor(Augment augment, const Draw& draw, std::int64_t index);
// Without augmentation: the middle square, 7/8 of the shorter side, as the usual "resize to 256, cut 224 out".
[[nodiscard]] Crop cropFor(Augment augment, const Draw& draw, std::int64_t index, std::int64_t width,
                           std::int64_t height);

} // namespace lockstep::trainer
