// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/texttable.h"

#include <QRegularExpression>

#include <algorithm>

namespace lockstep {

QString textTable(const QStringList& head, const QList<QStringList>& rows)
{
    static const QRegularExpression numeric(QStringLiteral("^[-−+]?[0-9][0-9,.]*( ?%)?$|^–$"));
    QList<qsizetype> widths;
    QList<bool> right;
    for (qsizetype column = 0; column < head.size(); ++column) {
        qsizetype width = head[column].size();
        bool numbers = !rows.isEmpty();
        for (const auto& row : rows) {
            width = std::max(width, row.value(column).size());
            numbers = numbers && numeric.match(row.value(column)).hasMatch();
        }
        widths << width;
        right << numbers;
    }
    QString text;
    const auto line = [&](const QStringList& words) {
        QString row;
        for (qsizetype column = 0; column < head.size(); ++column) {
            const QString word = words.value(column);
            row += (column ? QStringLiteral("  ") : QString()) +
                   (right[column] ? word.rightJustified(widths[column]) : word.leftJustified(widths[column]));
        }
        while (row.endsWith(' '))
            row.chop(1);
        text += row + '\n';
    };
    line(head);
    std::ranges::for_each(rows, line);
    return text;
}

} // namespace lockstep
