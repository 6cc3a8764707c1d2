// SPDX-License-Identifier: GPL-3.0-or-later
// Ansible's INI inventories: hosts with ansible_host, ansible_port, ansible_user, ansible_connection=local; groups
// become tags.
#pragma once

#include "core/hostfile.h"

#include <QStringList>

namespace lockstep {

[[nodiscard]] bool isAnsibleInventory(const QStringList& lines); // has a [group] or an ansible_ variable
[[nodiscard]] Result<ImportedNodes> importAnsibleInventory(const QStringList& lines);

} // namespace lockstep
