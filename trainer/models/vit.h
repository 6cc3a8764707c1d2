// SPDX-License-Identifier: GPL-3.0-or-later
// A vision transformer (Dosovitskiy et al. 2020): patches, a class token, a pre-norm encoder. timm's names and initial
// weights, so its files load. Without options ViT-Tiny: 12 blocks of 192 and 3 heads; the patch is the largest of 16,
// 8, 4, 2 and 1 pixels that divides the image and leaves at least 7 patches a side.
#pragma once

#include "trainer/models/model.h"

namespace lockstep::trainer {

[[nodiscard]] std::shared_ptr<Model> makeVit(const ModelOptions& options, const SampleShape& shape);

} // namespace lockstep::trainer
