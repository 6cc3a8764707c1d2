// SPDX-License-Identifier: GPL-3.0-or-later
// The name that a slip of the pen most likely meant.
#pragma once

#include <QString>
#include <QStringList>

namespace lockstep {

// Of `known`, the one with the fewest edits; empty: none is near (more than a third of its letters, or 3, differ).
[[nodiscard]] QString nearestName(const QString& name, const QStringList& known);

} // namespace lockstep
