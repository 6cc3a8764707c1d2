// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/field.h"

#include "ui/widgets/plaintooltip.h"

#include <QKeyEvent>
#include <QPainter>
#include <QStyle>

namespace lockstep::ui {

Field::Field(Theme& theme, const QString& placeholder, std::optional<Icon> icon, const QString& key, QWidget* parent)
    : QLineEdit(parent), m_theme(theme), m_icon(icon), m_key(key)
{
    setFont(theme.font(FontRole::Control));
    setPlaceholderText(placeholder);
    setFixedHeight(theme.px(28));
    const int left = icon ? theme.px(22) : 0;
    const int right = key.isEmpty() ? 0 : theme.textWidth(FontRole::Caption, key) + theme.px(14);
    setTextMargins(left, 0, right, 0);
    connect(&theme, &Theme::changed, this, [this] { update(); });
}

void Field::setCharacters(int characters)
{
    setFixedWidth(fontMetrics().horizontalAdvance(QLatin1Char('0')) * characters + m_theme.px(22));
}

void Field::setWrong(const QString& reason)
{
    setToolTip(plainToolTip(reason));
    const QString wrong = reason.isEmpty() ? QString() : QStringLiteral("yes");
    if (property("wrong").toString() == wrong)
        return;
    setProperty("wrong", wrong);
    style()->unpolish(this);
    style()->polish(this);
}

void Field::paintEvent(QPaintEvent* event)
{
    QLineEdit::paintEvent(event);
    const Tokens& t = m_theme.tokens();
    QPainter painter(this);
    if (m_icon) {
        const int side = m_theme.px(16);
        painter.drawPixmap(m_theme.px(8), (height() - side) / 2,
                           m_theme.pixmap(*m_icon, t.text2, 16, devicePixelRatioF()));
    }
    if (m_key.isEmpty() || !text().isEmpty())
        return;
    const int width = m_theme.textWidth(FontRole::Caption, m_key) + m_theme.px(8);
    const int high = m_theme.px(16);
    const QRect box(this->width() - width - m_theme.px(9), (height() - high) / 2, width, high);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(t.border);
    painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
    painter.setPen(t.text2);
    painter.setFont(m_theme.font(FontRole::Caption));
    painter.drawText(box, Qt::AlignCenter, m_key);
}

void Field::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && !text().isEmpty()) {
        clear();
        return;
    }
    QLineEdit::keyPressEvent(event);
}

} // namespace lockstep::ui
