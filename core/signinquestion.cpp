// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/signinquestion.h"

namespace lockstep {

QString SignInQuestion::text() const
{
    const QString again = attempt == Try::Again ? QStringLiteral("That was wrong. ") : QString();
    switch (kind) {
    case Kind::Passphrase:
        return again + QStringLiteral("Passphrase of the key %1, for %2").arg(whom, node);
    case Kind::Password:
        return again + QStringLiteral("Password of %1, for %2").arg(whom, node);
    case Kind::Prompt:
        return again + QStringLiteral("%1 asks %2: %3").arg(node, whom, words);
    }
    return {};
}

} // namespace lockstep
