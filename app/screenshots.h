// SPDX-License-Identifier: GPL-3.0-or-later
// `lockstep --screenshot DIR`: every page of the window as PNG, light and dark, without a display. Thread: GUI.
#pragma once

#include "app/desk.h"
#include "app/options.h"
#include "ui/theme.h"

class QApplication;

namespace lockstep {

[[nodiscard]] ui::SchemeChoice choiceOf(const QString& scheme); // of --scheme; empty: the system's
[[nodiscard]] int takeScreenshots(QApplication& application, const Options& options, Desk& desk);

} // namespace lockstep
