// SPDX-License-Identifier: GPL-3.0-or-later
// Changing inventory.toml while another program may do so too: read anew under a lock, changed, saved. Any thread.
#pragma once

#include "core/inventory.h"

#include <functional>

namespace lockstep {

// The inventory as it is afterwards; when `change` fails, the file stays as it was.
[[nodiscard]] Result<Inventory> editInventory(const QString& path,
                                              const std::function<Result<void>(Inventory&)>& change);

} // namespace lockstep
