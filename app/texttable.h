// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of words as aligned columns for a terminal: two blanks between them, numbers to the right, no trailing blanks.
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

namespace lockstep {

[[nodiscard]] QString textTable(const QStringList& head, const QList<QStringList>& rows);

} // namespace lockstep
