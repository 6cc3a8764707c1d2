// SPDX-License-Identifier: GPL-3.0-or-later
// A run as a file, written aside, then renamed. Thread: any; the picture is drawn in the GUI's.
#pragma once

#include "core/rundata.h"
#include "ui/theme.h"

namespace lockstep {

// csv: one line a point; csv-wide: one line a step.
[[nodiscard]] Result<void> writeTable(const RunData& data, const QString& format, const QString& path);
[[nodiscard]] QImage pictureOf(ui::Theme& theme, const RunData& data);               // the curves
[[nodiscard]] Result<void> writePicture(const QImage& picture, const QString& path); // PNG

} // namespace lockstep
