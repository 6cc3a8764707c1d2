// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/porttaken.h"

#include <QRegularExpression>

namespace lockstep {

bool saysPortTaken(const QStringList& lines)
{
    static const QRegularExpression spelling(
        QStringLiteral(
            R"(\bEADDRINUSE\b|address already in use|\berrno:?\s*98\b|\[errno 98\]|port \d+ (is )?already (in use|taken))"),
        QRegularExpression::CaseInsensitiveOption);
    return std::any_of(lines.begin(), lines.end(), [](const QString& line) { return spelling.match(line).hasMatch(); });
}

} // namespace lockstep
