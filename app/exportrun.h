// SPDX-License-Identifier: GPL-3.0-or-later
// A run as a file: csv (one point a row), csv-wide (one step a row), png (the curves). Written aside, then renamed.
#pragma once

#include "core/rundata.h"

namespace lockstep {

[[nodiscard]] Result<void> exportRun(const RunData& data, const QString& format,
                                     const QString& path); // png needs a QGuiApplication

} // namespace lockstep
