// SPDX-License-Identifier: GPL-3.0-or-later
// Before anything is trained: are these ranks one job? Every rank says what it is, all hear all, and what differs is
// named, on every rank, before a step is lost on it. (Unequal numbers of ranks are told earlier: rollcall.h.)
#pragma once

#include "trainer/comparison.h"
#include "trainer/data/dataset.h"
#include "trainer/device.h"
#include "trainer/models/model.h"
#include "trainer/options.h"
#include "trainer/parallel/strategy.h"

#include <chrono>

namespace lockstep::trainer {

inline constexpr double kMostClockDifferenceS = 5;

// Each throws Failure(Mismatch) that names the ranks and what they differ in.
//
// Program (by hash) and LibTorch, kind of device and backend, options, and the wall clock beside rank 0's. An option
// may differ when it only says where a node keeps things or how many hands it has: of a path only whether there is one
// is compared (a model's file by its bytes), and --init, --threads, --workers and --prefetch not at all.
void checkStart(ProcessGroup& group, const Options& options, const Device& device);
// Samples, as sampleorder.h has them. Waits this long for a rank that still reads: a slow disk is no lost peer.
void checkData(ProcessGroup& group, const DataSplit& data, const Statement& order, std::chrono::milliseconds patience);
// Parameters and buffers, by hash.
void checkParameters(ProcessGroup& group, Strategy& strategy, const Model& model);

[[nodiscard]] Statement optionStatement(const Options& options);

} // namespace lockstep::trainer
