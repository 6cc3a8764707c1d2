// SPDX-License-Identifier: GPL-3.0-or-later
// How many files and connections this program may have open at once (RLIMIT_NOFILE).
#pragma once

#include <QString>

namespace lockstep {

// To what the system allows, within reason. In main, once.
void raiseDescriptorLimit();

// The words for an errno; where no descriptor is left, with the limit. Any thread.
[[nodiscard]] QString descriptorError(int error);

} // namespace lockstep
