// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/plaintooltip.h"

#include <QTextDocument>

namespace lockstep::ui {

QString plainToolTip(const QString& text)
{
    if (!Qt::mightBeRichText(text)) // what the tool tip asks too
        return text;
    return QStringLiteral("<span style=\"white-space: pre-wrap\">%1</span>")
        .arg(text.toHtmlEscaped().replace(QLatin1Char('\n'), QStringLiteral("<br>")));
}

} // namespace lockstep::ui
