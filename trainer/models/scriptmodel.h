// SPDX-License-Identifier: GPL-3.0-or-later
// A network scripted by Python (torch.jit.script(module).save(FILE)). forward(x) gives the scores; or
// forward(x, y: Optional[Tensor] = None) gives the loss where there are targets, and the scores where there are none.
// In tests the loss is the mean cross-entropy of the scores.
#pragma once

#include "trainer/models/model.h"

#include <string>

namespace lockstep::trainer {

enum class OwnLoss { Taken, Refused }; // of a forward(x, y)

// Throws Failure(Data) for a file that is no such module, Failure(Options) for another forward.
[[nodiscard]] std::shared_ptr<Model> makeScriptModel(const std::string& file, OwnLoss ownLoss);

} // namespace lockstep::trainer
