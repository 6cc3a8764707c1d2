// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/models/prepare.h"

namespace lockstep::trainer {

void prepareModel(Model& model, const Options&, ProcessGroup&, const Device& device)
{
    model.to(device.tensors);
}

} // namespace lockstep::trainer
