// SPDX-License-Identifier: GPL-3.0-or-later
// Rank 0 reads the checkpoint, which need not be on any other node; everybody else gets its state by broadcast.
#pragma once

#include "trainer/checkpoint.h"
#include "trainer/processgroup.h"

namespace lockstep::trainer {

[[nodiscard]] Progress resume(const std::string& path, Model& model, Optimizer& optimizer, ProcessGroup& group,
                              const Progress& wanted);

} // namespace lockstep::trainer
