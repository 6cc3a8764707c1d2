// SPDX-License-Identifier: GPL-3.0-or-later
// A training state as a file that Python opens with torch.load(weights_only=True):
//   {"model": OrderedDict name -> tensor, "optimizer": as optimizer.state_dict(), "step": int, "epoch": int, ...}
// so model.load_state_dict(file["model"]) and optimizer.load_state_dict(file["optimizer"]) work there without renaming.
#pragma once

#include "trainer/model.h"
#include "trainer/optimizer.h"

#include <string>

namespace lockstep::trainer {

// How far a run is. A position within an epoch means something only for the same seed, batch and number of ranks.
struct Progress {
    std::int64_t step = 0;         // optimiser steps done
    std::int64_t epoch = 0;        // whole passes done
    std::int64_t batchInEpoch = 0; // batches of the next pass done
    std::int64_t batch = 0;        // samples a rank and step
    std::int64_t world = 0;
    std::int64_t seed = 0;

    bool operator==(const Progress&) const = default;
};

// Both throw Failure(Checkpoint). save writes aside, syncs and renames.
void saveCheckpoint(const std::string& path, Model& model, const Optimizer& optimizer, const Progress& progress);

// Fills model and optimizer, which must have the same parameters. The position within an epoch is refused when batch,
// world or seed are not those of `wanted`; at an epoch's boundary they may differ.
[[nodiscard]] Progress loadCheckpoint(const std::string& path, Model& model, Optimizer& optimizer,
                                      const Progress& wanted);

} // namespace lockstep::trainer
