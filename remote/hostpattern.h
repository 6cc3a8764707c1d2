// SPDX-License-Identifier: GPL-3.0-or-later
// The patterns of ssh_config, known_hosts and certificates: only * and ? mean something.
#pragma once

#include <QByteArray>

#include <fnmatch.h>

namespace lockstep {

// Case counts; whoever needs it lowers both.
[[nodiscard]] inline bool matchesHostPattern(QByteArray pattern, const QByteArray& name)
{
    pattern.replace("\\", "\\\\").replace("[", "\\[");
    return fnmatch(pattern.constData(), name.constData(), 0) == 0;
}

} // namespace lockstep
