// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/runparts.h"

#include <QDir>

namespace lockstep {

QString standardCacheFolder()
{
    if (const QString chosen = qEnvironmentVariable("LOCKSTEP_CACHE_DIR"); !chosen.isEmpty())
        return chosen;
    const QString xdg = qEnvironmentVariable("XDG_CACHE_HOME");
    return (xdg.startsWith(QLatin1Char('/')) ? xdg : QDir::homePath() + QStringLiteral("/.cache")) +
           QStringLiteral("/lockstep");
}

} // namespace lockstep
