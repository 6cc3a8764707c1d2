// SPDX-License-Identifier: GPL-3.0-or-later
// Which nodes a spec means: its selection of the inventory; without one, this machine.
#pragma once

#include "core/inventory.h"
#include "core/runspec.h"

namespace lockstep {

[[nodiscard]] Result<QList<Node>> nodesFor(const RunSpec& spec, const Inventory& inventory);

} // namespace lockstep
