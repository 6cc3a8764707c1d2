// SPDX-License-Identifier: GPL-3.0-or-later
// The test set, each sample counted once, over all ranks.
#pragma once

#include "trainer/data/dataset.h"
#include "trainer/device.h"
#include "trainer/parallel/strategy.h"

namespace lockstep::trainer {

struct Evaluation { // means over all test samples; of tokens, over all tokens
    double loss = 0;
    double accuracy = 0;                     // 0 to 1
    double top5 = 0;                         // 0 to 1
    [[nodiscard]] double perplexity() const; // e^loss
};

[[nodiscard]] Evaluation evaluate(Strategy& strategy, Model& model, const Dataset& tests, ProcessGroup& group,
                                  const Device& device, const Options& options);

} // namespace lockstep::trainer
