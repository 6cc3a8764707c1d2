// SPDX-License-Identifier: GPL-3.0-or-later
// A training state as a file that Python opens with torch.load(weights_only=True):
//   {"model": OrderedDict name -> tensor, "optimizer": as optimizer.state_dict(), "step": int, "epoch": int, ...}
// so model.load_state_dict(file["model"]) and optimizer.load_state_dict(file["optimizer"]) work there without renaming.
#pragma once

#include "trainer/gradscaler.h"
#include "trainer/models/model.h"
#include "trainer/optimizer.h"
#include "trainer/parallel/strategy.h"

#include <string>

namespace lockstep::trainer {

// How far a run is. Samples of an epoch are taken from one order over all ranks, so `takenOfEpoch` means the same for
// any number of them; but only for the same seed.
struct Progress {
    std::int64_t step = 0;         // optimiser steps done
    std::int64_t epoch = 0;        // whole passes done
    std::int64_t takenOfEpoch = 0; // samples of the next pass that all ranks together have used
    std::int64_t seed = 0;

    bool operator==(const Progress&) const = default;
};

// Everything that a run which goes on needs. Random numbers are no part of it: each step seeds them from (seed, rank,
// step), and the schedule is a function of the step.
struct TrainingState {
    Model& model;
    Strategy& strategy;
    Optimizer& optimizer;
    GradScaler& scaler;
    ProcessGroup& group;
    Progress& progress;
};

// Both on all ranks together; rank 0 alone reads and writes. Both throw Failure(Checkpoint) on every rank. save writes
// aside, syncs and renames.
void saveCheckpoint(const std::string& path, const TrainingState& state);
void loadCheckpoint(const std::string& path, TrainingState& state);

} // namespace lockstep::trainer
