// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/desktopenvironment.h"

extern char** environ; // NOLINT

namespace lockstep {

Environment desktopEnvironment()
{
    Environment environment;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const QByteArray text(*entry);
        if (const qsizetype equals = text.indexOf('='); equals > 0)
            environment.append({text.left(equals), text.mid(equals + 1)});
    }
    return environment;
}

} // namespace lockstep
