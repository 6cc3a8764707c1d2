// SPDX-License-Identifier: GPL-3.0-or-later
// The model's tensors in a file of torch.save's: the file is a state dictionary, or has one under the name that people
// give it.
#pragma once

#include "trainer/checkpoint/modelstate.h"
#include "trainer/checkpoint/tensorarchive.h"

namespace lockstep::trainer {

// Views, as long as the file lives. Throws Failure(Checkpoint).
[[nodiscard]] NamedTensors savedModel(const TensorArchiveReader& file);

} // namespace lockstep::trainer
