// SPDX-License-Identifier: GPL-3.0-or-later
// The test set over all ranks: each takes its share without padding, so no sample counts twice.
#pragma once

#include "trainer/dataset.h"
#include "trainer/device.h"
#include "trainer/model.h"
#include "trainer/processgroup.h"

namespace lockstep::trainer {

struct Evaluation {
    double loss = 0; // mean over all samples
    double accuracy = 0;
};

[[nodiscard]] Evaluation evaluate(Model& model, const Dataset& tests, ProcessGroup& group, const Device& device);

} // namespace lockstep::trainer
