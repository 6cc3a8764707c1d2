// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/models/prepare.h"

#include "trainer/checkpoint/weights.h"

namespace lockstep::trainer {

void prepareModel(Model& model, const Options& options, ProcessGroup& group, const Device& device)
{
    if (!options.weights.empty())
        loadWeights(options.weights, model, group);
    model.to(device.tensors);
}

} // namespace lockstep::trainer
