// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/importednodes.h"

namespace lockstep {

// Concrete aliases (no wildcards) of an ssh_config's Host and Match originalhost, Include followed. `path` is the file;
// each node's address is its alias: ssh resolves it, so user, port, key and jump stay where the user keeps them.
// Several aliases of one Host line are one machine: the first one is taken, the others are told.
[[nodiscard]] Result<ImportedNodes> importSshConfig(const QString& path);

} // namespace lockstep
