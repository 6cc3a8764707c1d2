// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes out of files that give names a meaning: /etc/hosts (`10.0.0.11 gpu1.x gpu1`) and pdsh's genders
// (`gpu[1-8] compute,slots=8,rack=3`).
#pragma once

#include "core/importednodes.h"

#include <QStringList>

namespace lockstep {

// Every line is an address and names. Loopback and multicast addresses are no nodes.
[[nodiscard]] bool isHostsFile(const QStringList& lines);
[[nodiscard]] Result<ImportedNodes> importHostsFile(const QStringList& lines);

// Every line is hosts, or hosts and a list of attributes; some list has several, and a mere word among them.
// Attributes become tags, rack=3 the tag rack-3, slots= the slots. A host may have several lines.
[[nodiscard]] bool isGenders(const QStringList& lines);
[[nodiscard]] Result<ImportedNodes> importGenders(const QStringList& lines);

} // namespace lockstep
