// SPDX-License-Identifier: GPL-3.0-or-later
// Which nodes a spec means: its selection of the inventory; without one, this machine.
#pragma once

#include "core/inventory.h"
#include "core/launchplan.h"

namespace lockstep {

[[nodiscard]] Result<QList<Node>> nodesFor(const RunSpec& spec, const Inventory& inventory);
// One of a plan that was launched; removed from the inventory meanwhile: the plan still knows the way.
[[nodiscard]] Node nodeFor(const PlannedNode& planned, const Inventory& inventory);

} // namespace lockstep
