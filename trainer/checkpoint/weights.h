// SPDX-License-Identifier: GPL-3.0-or-later
// A model's weights alone, from and for other programs.
#pragma once

#include "trainer/models/model.h"
#include "trainer/parallel/processgroup.h"
#include "trainer/parallel/strategy.h"

#include <string>

namespace lockstep::trainer {

// All ranks together, before the strategy is made, which gives rank 0's values to all: rank 0 reads safetensors, a
// state_dict of Python's or the model in a checkpoint. Throws Failure(Checkpoint) on every rank: the file is broken, or
// its names and shapes are not the model's; then nothing was changed.
void loadWeights(const std::string& path, Model& model, ProcessGroup& group);

// All ranks together, before training: throws Failure(Checkpoint) where rank 0 cannot write, not days later.
void checkExport(const std::string& path, ProcessGroup& group);

// All ranks together: rank 0 writes safetensors, tensor by tensor. Throws Failure(Checkpoint) on every rank.
void exportWeights(const std::string& path, Model& model, Strategy& strategy, ProcessGroup& group);

} // namespace lockstep::trainer
