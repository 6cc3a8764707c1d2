// SPDX-License-Identifier: GPL-3.0-or-later
// What leaves a run's page: the plots as they are seen, and the commands of its ranks.
#pragma once

#include "core/error.h"
#include "core/rundata.h"

class QWidget;

namespace lockstep::ui {

// A path that does not exist yet, in the user's folder for pictures or documents: "fashion-cnn-12.png", "-2" added when
// taken.
[[nodiscard]] QString freePath(const RunData& run, const QString& format);
[[nodiscard]] Result<QString> savePicture(QWidget& seen, const QString& path); // the path
[[nodiscard]] QString commandsText(const RunData& run);

} // namespace lockstep::ui
