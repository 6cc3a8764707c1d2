// SPDX-License-Identifier: GPL-3.0-or-later
// The loss of every rank as a picture of braille dots, for a terminal: mean over ranks as the curve, its range at the
// left.
#pragma once

#include "core/rundata.h"

namespace lockstep {

// Empty when there is no point yet. `width` and `height` in characters.
[[nodiscard]] QString lossChart(const RunData& data, int width, int height);

} // namespace lockstep
