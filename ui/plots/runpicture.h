// SPDX-License-Identifier: GPL-3.0-or-later
// A run's plots as one picture: for `lockstep export --format png`, and for ./run where there is no display (platform
// "offscreen"). Needs a QApplication. Thread: GUI.
#pragma once

#include "core/rundata.h"

#include <QImage>

namespace lockstep::ui {

class Theme;

[[nodiscard]] QImage renderRunPlots(Theme& theme, const RunData& run, QSize size, XAxis axis = XAxis::Time);

} // namespace lockstep::ui
