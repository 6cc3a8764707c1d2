// SPDX-License-Identifier: GPL-3.0-or-later
// ResNet-18 and ResNet-50 (He et al. 2015) with torchvision's names, order and initial weights, so its files load.
// --width is the first stage's channels (64), --depth the blocks of every stage. Images of up to 32 pixels a side get
// a 3×3 convolution without pooling as their stem, as that paper does for CIFAR; larger ones torchvision's 7×7 with
// stride 2 and pooling.
#pragma once

#include "trainer/models/model.h"

namespace lockstep::trainer {

[[nodiscard]] std::shared_ptr<Model> makeResnet18(const ModelOptions& options, const SampleShape& shape);
[[nodiscard]] std::shared_ptr<Model> makeResnet50(const ModelOptions& options, const SampleShape& shape);

} // namespace lockstep::trainer
