// SPDX-License-Identifier: GPL-3.0-or-later
// --depth convolutions (2), each pooled by 2, of --width channels (32) and twice as many each time, and two fully
// connected layers with --dropout between them.
#pragma once

#include "trainer/models/model.h"

namespace lockstep::trainer {

[[nodiscard]] std::shared_ptr<Model> makeCnn(const ModelOptions& options, const SampleShape& shape);

} // namespace lockstep::trainer
