// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a rank's last words say that the master's port was taken, in any spelling that libraries use.
#pragma once

#include <QStringList>

namespace lockstep {

[[nodiscard]] bool saysPortTaken(const QStringList& lines);

} // namespace lockstep
