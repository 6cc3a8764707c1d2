// SPDX-License-Identifier: GPL-3.0-or-later
// A training state as a file that Python opens with torch.load(weights_only=True):
//   {"model": OrderedDict name -> tensor, "optimizer": as optimizer.state_dict(), "scaler": as scaler.state_dict(),
//    "step": int, "epoch": int, "taken_of_epoch": int, "seed": int, "best_loss": float, "random": text,
//    "epoch_losses": [a rank's sum ...], "epoch_samples": [...], "order": {name: text}, ...}
// so model.load_state_dict(file["model"]) and the like work there without renaming.
#pragma once

#include "trainer/checkpoint/modelstate.h"
#include "trainer/checkpoint/rankzero.h"
#include "trainer/checkpoint/tensorarchive.h"
#include "trainer/comparison.h"
#include "trainer/epochmean.h"
#include "trainer/gradscaler.h"
#include "trainer/optimizer.h"
#include "trainer/parallel/strategy.h"

#include <limits>
#include <memory>
#include <string>

namespace lockstep::trainer {

// How far a run is. Samples of an epoch are taken from one order over all ranks, so `takenOfEpoch` means the same for
// any number of them; but only for the same seed.
struct Progress {
    std::int64_t step = 0;         // optimiser steps done
    std::int64_t epoch = 0;        // whole passes done
    std::int64_t takenOfEpoch = 0; // samples of the next pass that all ranks together have used
    std::int64_t seed = 0;
    double bestLoss = std::numeric_limits<double>::infinity(); // the lowest on the test set so far

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
    EpochMean& mean;        // of the epoch under way
    const Statement& order; // of its samples, sampleorder.h
};

// All ranks together; rank 0 writes, tensor by tensor as the strategy gathers them. What fails is kept in `zero`.
// Returns the bytes of the file, on rank 0.
std::uint64_t saveCheckpoint(const std::string& path, const TrainingState& state, RankZero& zero);

// Rank 0 opens a file and looks at all of it, before anything is changed; then all ranks take it over together.
class SavedState {
public:
    // Throws Failure(Checkpoint): broken, foreign, of another model or optimiser, or within an epoch whose samples came
    // in another order.
    SavedState(const std::string& path, const TrainingState& state);

    [[nodiscard]] const std::string& path() const { return m_file.path(); }
    [[nodiscard]] const Progress& progress() const { return m_progress; }

private:
    friend void restoreCheckpoint(const SavedState* saved, TrainingState& state);

    void readCounts(const TrainingState& state);
    void readOrder(const TrainingState& state);
    void readMeans();
    void readOptimizer(const TrainingState& state);
    void readScaler(const GradScaler& scaler);

    TensorArchiveReader m_file;
    std::vector<ModelTensor> m_places;
    std::vector<at::Tensor> m_model; // as m_places
    // As optimizer.state(): for each trained parameter its tensor; undefined: Python keeps none for one that never had
    // a gradient.
    std::vector<std::vector<at::Tensor>> m_optimizer;
    Progress m_progress;
    GradScaler::State m_scaler;
    std::vector<EpochMean::Sums> m_means; // by rank; empty where the file has none
};

// nullptr on every rank but 0. Nothing fails any more but a lost peer.
void restoreCheckpoint(const SavedState* saved, TrainingState& state);

} // namespace lockstep::trainer
