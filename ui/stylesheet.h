// SPDX-License-Identifier: GPL-3.0-or-later
// What a palette cannot say of Fusion: flat grounds, radii, heights, focus. Buttons take the dynamic property `kind`:
// "primary", "flat", "danger", none (outlined).
#pragma once

#include <QString>

namespace lockstep::ui {

class Theme;

[[nodiscard]] QString styleSheet(const Theme& theme);

} // namespace lockstep::ui
