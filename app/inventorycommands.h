// SPDX-License-Identifier: GPL-3.0-or-later
// The verbs that read or edit inventory.toml: nodes list, add, edit, remove, import.
#pragma once

#include "app/options.h"
#include "core/runstore.h"

namespace lockstep {

[[nodiscard]] int inventoryCommand(const Options& options, const DataFolder& folder);

} // namespace lockstep
