// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/inventoryedit.h"

#include <QLockFile>

namespace lockstep {
namespace {

constexpr int kLockWaitMs = 5000; // an edit takes milliseconds

} // namespace

Result<Inventory> editInventory(const QString& path, const std::function<Result<void>(Inventory&)>& change)
{
    QLockFile lock(path + QStringLiteral(".lock"));
    if (!lock.tryLock(kLockWaitMs))
        return failure(ErrorCode::Busy,
                       QStringLiteral("%1 is being changed by another program, or its folder cannot be "
                                      "written; nothing was changed. Try again.")
                           .arg(path));
    auto inventory = Inventory::load(path);
    if (!inventory)
        return inventory;
    if (auto changed = change(*inventory); !changed)
        return std::unexpected(changed.error());
    if (auto saved = inventory->save(path); !saved)
        return std::unexpected(saved.error());
    return inventory;
}

} // namespace lockstep
