// SPDX-License-Identifier: GPL-3.0-or-later
// Fully connected layers: fc1 ... fcN. Without options 784-256-128-10 on Fashion-MNIST.
#pragma once

#include "trainer/models/model.h"

namespace lockstep::trainer {

[[nodiscard]] std::shared_ptr<Model> makeMlp(const ModelOptions& options, const SampleShape& shape);

} // namespace lockstep::trainer
