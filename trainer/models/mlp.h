// SPDX-License-Identifier: GPL-3.0-or-later
// Fully connected layers: fc1 ... fcN, without options 784-256-128-10 on Fashion-MNIST. --depth hidden layers (2) of
// --width units (256), the last of several half as wide; --dropout after each.
#pragma once

#include "trainer/models/model.h"

namespace lockstep::trainer {

[[nodiscard]] std::shared_ptr<Model> makeMlp(const ModelOptions& options, const SampleShape& shape);

} // namespace lockstep::trainer
