// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the variables and arguments of a spec can be given to a program at all. Pure.
#pragma once

#include "core/launchplan.h"

namespace lockstep {

// The kernel's MAX_ARG_STRLEN is 128 KiB with the closing NUL, for an argument and for NAME=value alike.
inline constexpr qsizetype kMaxArgumentBytes = 128 * 1024 - 1;

[[nodiscard]] QList<Problem> checkEnvironment(const RunSpec& spec); // names and sizes, of arguments too
[[nodiscard]] QString shownVariable(const QByteArray& name);        // in a sentence: short, and without NUL

} // namespace lockstep
