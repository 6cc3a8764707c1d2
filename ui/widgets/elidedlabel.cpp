// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/elidedlabel.h"

#include "ui/widgets/plaintooltip.h"

#include <QPainter>
#include <QStyle>

namespace lockstep::ui {

ElidedLabel::ElidedLabel(const Theme& theme, FontRole role, Tone tone, const QString& text, QWidget* parent)
    : QLabel(text, parent)
{
    setTextFormat(Qt::PlainText);
    setFont(theme.font(role));
    setTone(*this, tone);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

QSize ElidedLabel::minimumSizeHint() const
{
    return {fontMetrics().horizontalAdvance(QStringLiteral("…")), QLabel::minimumSizeHint().height()};
}

void ElidedLabel::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const QString shown = fontMetrics().elidedText(text(), Qt::ElideRight, contentsRect().width());
    setToolTip(shown == text() ? QString() : plainToolTip(text()));
    style()->drawItemText(&painter, contentsRect(),
                          static_cast<int>(Qt::AlignVCenter) | static_cast<int>(alignment() & Qt::AlignHorizontal_Mask),
                          palette(), isEnabled(), shown, QPalette::WindowText);
}

} // namespace lockstep::ui
