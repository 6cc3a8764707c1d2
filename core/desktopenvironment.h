// SPDX-License-Identifier: GPL-3.0-or-later
// The environment of this program, byte for byte: a value need not be text. Any thread, while nobody changes it.
#pragma once

#include "core/runspec.h"

namespace lockstep {

[[nodiscard]] Environment desktopEnvironment();

} // namespace lockstep
