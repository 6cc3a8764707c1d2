// SPDX-License-Identifier: GPL-3.0-or-later
// What the number of samples that were taken of an epoch refers to: a checkpoint within one is worth nothing when the
// samples, or their order, are others. (The seed is compared apart; ranks and batches may change, the same samples
// follow.)
#pragma once

#include "trainer/comparison.h"
#include "trainer/data/dataset.h"

#include <string>

namespace lockstep::trainer {

// --data, --shuffle, the number of samples and their shape, and a hash of what some of them are to teach: labels, or
// tokens. (Not of images, which augmentation changes.) Throws Failure(Data) as reading does.
[[nodiscard]] Statement sampleOrder(const Options& options, const Dataset& data);

// The first that differs, as a sentence: "--shuffle is no, but was yes"; empty: none. What `before` lacks counts as the
// same.
[[nodiscard]] std::string changeOfOrder(const Statement& before, const Statement& now);

} // namespace lockstep::trainer
