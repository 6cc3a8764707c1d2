// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/porttaken.h"

#include <QRegularExpression>

namespace lockstep {

bool saysPortTaken(const QStringList& lines)
{
    // libuv writes UV_EADDRINUSE; a number alone is Linux's, under whatever language the text beside it has.
    static const QRegularExpression spelling(
        QStringLiteral("EADDRINUSE|address (is )?already (in use|used)|\\b(os error|errno)[\"':= ]*-?98\\b|"
                       "\\bport[ :#]*\\d+ (is |was )?(already |currently )?(in use|used|taken|occupied|allocated)\\b"),
        QRegularExpression::CaseInsensitiveOption);
    return std::any_of(lines.begin(), lines.end(), [](const QString& line) { return spelling.match(line).hasMatch(); });
}

} // namespace lockstep
