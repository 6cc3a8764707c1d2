// SPDX-License-Identifier: GPL-3.0-or-later
// Two convolutions, each pooled by 2, and two fully connected layers.
#pragma once

#include "trainer/models/model.h"

namespace lockstep::trainer {

[[nodiscard]] std::shared_ptr<Model> makeCnn(const ModelOptions& options, const SampleShape& shape);

} // namespace lockstep::trainer
