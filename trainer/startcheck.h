// SPDX-License-Identifier: GPL-3.0-or-later
// Before anything is trained: are these ranks one job? Each compares rank 0's number of ranks, time, program and
// options with its own; later, once, the parameters. What differs is named, on every rank, before a step is lost on it.
#pragma once

#include "trainer/models/model.h"
#include "trainer/options.h"
#include "trainer/parallel/processgroup.h"

namespace lockstep::trainer {

inline constexpr double kMostClockDifferenceS = 5;

// Throws Failure(Mismatch) that names the ranks and what they differ in.
void checkStart(ProcessGroup& group, const Options& options);
void checkParameters(ProcessGroup& group, Model& model); // by hash

} // namespace lockstep::trainer
