// SPDX-License-Identifier: GPL-3.0-or-later
// From the network as it was made to the one that is trained: weights from a file, batch norms made synchronous, blocks
// that are computed again in backward, the device and the memory format.
#pragma once

#include "trainer/device.h"
#include "trainer/models/model.h"
#include "trainer/options.h"
#include "trainer/parallel/processgroup.h"

namespace lockstep::trainer {

// Throws Failure(Options) that names the module when it cannot be converted.
void prepareModel(Model& model, const Options& options, ProcessGroup& group, const Device& device);

} // namespace lockstep::trainer
