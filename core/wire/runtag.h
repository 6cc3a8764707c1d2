// SPDX-License-Identifier: GPL-3.0-or-later
// What the agent puts into the environment of every rank, so that its processes are found again.
#pragma once

namespace lockstep::wire {

inline constexpr char kRunFolderVariable[] = "LOCKSTEP_RUN_FOLDER"; // the tag: names run, node and user
inline constexpr char kRunVariable[] = "LOCKSTEP_RUN";              // the run's id
inline constexpr char kAttemptVariable[] = "LOCKSTEP_ATTEMPT";

} // namespace lockstep::wire
