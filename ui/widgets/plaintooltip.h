// SPDX-License-Identifier: GPL-3.0-or-later
// Tool tips of text that comes from outside: a tool tip that looks like HTML is taken for HTML. Pure.
#pragma once

#include <QString>

namespace lockstep::ui {

// As a tool tip it is shown letter by letter. Text that nobody takes for HTML is returned as it is.
[[nodiscard]] QString plainToolTip(const QString& text);

} // namespace lockstep::ui
