// SPDX-License-Identifier: GPL-3.0-or-later
// Changing inventory.toml while a person or another program may do so too: read anew under a lock, changed, and only
// what changed is written into the text that is there (inventoryfile.h). Lockstep's own programs wait for the lock;
// when an editor saves meanwhile, the change is made again to what it saved, up to the instant before the rename. A
// file that is wrong is not changed. Any thread.
#pragma once

#include "core/inventory.h"

#include <functional>

namespace lockstep {

struct EditedInventory { // between the two there is only the change
    Inventory before, after;
};

// What the file said and what it says now; when `change` fails, the file stays as it was. `change` may be called more
// than once, each time on what the file says then.
[[nodiscard]] Result<EditedInventory> editInventory(const QString& path,
                                                    const std::function<Result<void>(Inventory&)>& change);

// "tags=h100,rack3", "slots=8", "address=alice@gpu1:2222", "key=~/.ssh/id", "devices=0,1", "interface=ens1f0",
// "jump=ops@gate,inner", "env.NCCL_DEBUG=INFO", "tags+=new", "tags-=old"; nothing behind the = takes the value away.
[[nodiscard]] Result<void> setNodeValue(Node& node, const QString& assignment);

// Puts `edited` in the place of `shown`, the node as the person saw it; both without what groups give (ownPart), which
// is what the groups say by now. What somebody else changed meanwhile stays; where both changed the same value
// differently, nothing is written and the error says so.
[[nodiscard]] Result<void> replaceNode(Inventory& inventory, const Node& shown, const Node& edited);

} // namespace lockstep
