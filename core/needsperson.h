// SPDX-License-Identifier: GPL-3.0-or-later
// Which states of a node only a person can change, unlike one that is merely out of reach: trying again by itself would
// fill logs, and lock accounts.
#pragma once

#include "core/nodestate.h"

namespace lockstep {

[[nodiscard]] bool needsPerson(NodePhase phase);

} // namespace lockstep
