// SPDX-License-Identifier: GPL-3.0-or-later
// The network that the options ask for. Modules carry the names and are made in the order of their Python twins
// (tests/parity/models.py), so that one seed gives the same weights in both languages and a checkpoint loads without
// renaming.
#pragma once

#include "trainer/models/model.h"
#include "trainer/options.h"

namespace lockstep::trainer {

// On the CPU. Throws Failure(Options or Data) that says which option does not fit the model or the data.
[[nodiscard]] std::shared_ptr<Model> makeModel(const Options& options, const SampleShape& shape);

} // namespace lockstep::trainer
