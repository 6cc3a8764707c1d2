// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/statelabel.h"

#include <QPainter>

namespace lockstep::ui {

StateLabel::StateLabel(Theme& theme, FontRole role, QWidget* parent) : QAbstractButton(parent), m_theme(theme)
{
    setFont(theme.font(role));
    setFocusPolicy(Qt::NoFocus);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(&theme, &Theme::changed, this, [this] { update(); });
}

void StateLabel::setState(Icon icon, Tone tone, const QString& words)
{
    m_icon = icon;
    m_tone = tone;
    setText(words);
    updateGeometry();
    update();
}

void StateLabel::setPlain(const QString& words, Tone tone)
{
    m_icon.reset();
    m_tone = tone;
    setText(words);
    updateGeometry();
    update();
}

void StateLabel::setLink(Qt::CursorShape cursor)
{
    setCursor(cursor);
    setFocusPolicy(cursor == Qt::PointingHandCursor ? Qt::TabFocus : Qt::NoFocus);
}

int StateLabel::iconWidth() const
{
    return m_icon ? m_theme.px(16 + 6) : 0;
}

QSize StateLabel::sizeHint() const
{
    return {iconWidth() + fontMetrics().horizontalAdvance(text()) + 2,
            std::max(m_theme.px(18), fontMetrics().height())};
}

QSize StateLabel::minimumSizeHint() const
{
    return {iconWidth() + fontMetrics().horizontalAdvance(QStringLiteral("…")), sizeHint().height()};
}

void StateLabel::paintEvent(QPaintEvent*)
{
    const QColor colour = toneColour(m_theme.tokens(), m_tone);
    QPainter painter(this);
    if (m_icon) {
        const int side = m_theme.px(16);
        painter.drawPixmap(0, (height() - side) / 2, m_theme.pixmap(*m_icon, colour, 16, devicePixelRatioF()));
    }
    painter.setPen(colour);
    const QRect place = rect().adjusted(iconWidth(), 0, 0, 0);
    painter.drawText(place, Qt::AlignVCenter | Qt::AlignLeft,
                     fontMetrics().elidedText(text(), Qt::ElideRight, place.width()));
    if (hasFocus()) {
        painter.setPen(QPen(m_theme.tokens().accent, 2));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

} // namespace lockstep::ui
