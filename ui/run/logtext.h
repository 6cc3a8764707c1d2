// SPDX-License-Identifier: GPL-3.0-or-later
// A line of output as the log shows it: what a terminal would have shown, and how bad it sounds. Pure. The raw bytes
// stay in the rank's file on its node.
#pragma once

#include "core/rundata.h"

namespace lockstep::ui {

enum class LogSeverity { Usual, Warning, Bad };

// Without escape sequences; of a line rewritten by carriage returns, the last writing.
[[nodiscard]] QString plainText(const QString& raw);
[[nodiscard]] LogSeverity severityOf(const QString& plain);

} // namespace lockstep::ui
