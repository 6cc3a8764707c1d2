// SPDX-License-Identifier: GPL-3.0-or-later
// A run as a file, written aside, then renamed.
#pragma once

#include "core/rundata.h"
#include "ui/theme.h"

namespace lockstep {

// csv: one line a point; csv-wide: one line a step.
[[nodiscard]] Result<void> writeTable(const RunData& data, const QString& format, const QString& path);
[[nodiscard]] Result<void> writePicture(ui::Theme& theme, const RunData& data, const QString& path); // the curves, PNG

} // namespace lockstep
