// SPDX-License-Identifier: GPL-3.0-or-later
// A page of the window that is only read or chosen from: title strip, then what is added below, on `surface`,
// scrolling.
#pragma once

#include "ui/theme.h"

class QVBoxLayout;
class QWidget;

namespace lockstep::ui {

// Fills `page`; the returned column takes its sections.
[[nodiscard]] QVBoxLayout* makePageFrame(const Theme& theme, QWidget& page, const QString& title,
                                         const QString& caption);

} // namespace lockstep::ui
