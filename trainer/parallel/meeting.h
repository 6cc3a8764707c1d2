// SPDX-License-Identifier: GPL-3.0-or-later
// Where the ranks find one another: rank 0's TCP store, or a file that all can reach. What comes back is this run's own
// part of it.
#pragma once

#include "trainer/placement.h"

#include <torch/csrc/distributed/c10d/Store.hpp>

#include <chrono>
#include <string>

namespace lockstep::trainer {

// Returns when all ranks are here, by the deadline or a moment later. A rank that starts before rank 0 waits for it by
// looking at its port every 5 ms. Throws Failure(Rendezvous or Mismatch), as rollcall.h says.
[[nodiscard]] c10::intrusive_ptr<c10d::Store> meet(const Placement& place, std::chrono::milliseconds deadline);

[[nodiscard]] std::string meetingPlace(const Placement& place); // "10.1.0.1:29500", or the file's path

} // namespace lockstep::trainer
