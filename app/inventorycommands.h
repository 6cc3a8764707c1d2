// SPDX-License-Identifier: GPL-3.0-or-later
// The verbs that read or edit inventory.toml: nodes list, add, remove, import.
#pragma once

#include "app/options.h"
#include "core/runstore.h"

namespace lockstep {

[[nodiscard]] int inventoryCommand(const Options& options, const DataFolder& folder);
// Reads a hostfile or, by its name or content, an ssh_config; each line that was not understood is said with its
// number.
[[nodiscard]] Result<ImportedNodes> importFile(const QString& path);

} // namespace lockstep
