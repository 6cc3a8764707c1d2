// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/railitem.h"

#include "ui/widgets/plaintooltip.h"

#include <QPainter>

namespace lockstep::ui {

RailItem::RailItem(Theme& theme, Icon icon, const QString& name, RailLevel level, QWidget* parent)
    : QAbstractButton(parent), m_theme(theme), m_icon(icon), m_level(level)
{
    setText(name);
    setCheckable(true);
    setFixedHeight(theme.px(level == RailLevel::Page ? 32 : 28));
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void RailItem::setIconAndColour(Icon icon, const QColor& colour)
{
    m_icon = icon;
    m_colour = colour;
    update();
}

void RailItem::setDetail(const QString& detail)
{
    m_detail = detail;
    update();
}

void RailItem::setForm(RailForm form)
{
    m_form = form;
    setToolTip(form == RailForm::IconsOnly ? plainToolTip(QStringLiteral("%1 %2").arg(text(), m_detail)) : QString());
    update();
}

void RailItem::paintEvent(QPaintEvent*)
{
    const Tokens& t = m_theme.tokens();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (isChecked() || underMouse()) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(isChecked() ? t.sel : t.hover);
        painter.drawRoundedRect(rect(), 4, 4);
    }
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(t.accent, 2));
        painter.drawRoundedRect(rect().adjusted(1, 1, -1, -1), 4, 4);
    }
    const bool page = m_level == RailLevel::Page;
    const int side = m_theme.px(page ? 16 : 14);
    const int left = m_form == RailForm::IconsOnly ? (width() - side) / 2 : m_theme.px(page ? 8 : 24);
    const QColor words = isChecked() ? t.text : t.text2;
    painter.drawPixmap(
        left, (height() - side) / 2,
        m_theme.pixmap(m_icon, m_colour.isValid() ? m_colour : words, page ? 16 : 14, devicePixelRatioF()));
    if (m_form == RailForm::IconsOnly)
        return;
    painter.setPen(t.text2);
    painter.setFont(m_theme.font(FontRole::Cell));
    QRect place = rect().adjusted(left + side + m_theme.px(page ? 8 : 6), 0, -m_theme.px(8), 0);
    painter.drawText(place, Qt::AlignRight | Qt::AlignVCenter, m_detail);
    if (!m_detail.isEmpty())
        place.setRight(place.right() - m_theme.textWidth(FontRole::Cell, m_detail) - m_theme.px(6));
    const FontRole role = page ? (isChecked() ? FontRole::PanelTitle : FontRole::Control)
                               : (isChecked() ? FontRole::CellStrong : FontRole::Cell);
    painter.setFont(m_theme.font(role));
    painter.setPen(words);
    painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(text(), Qt::ElideRight, place.width()));
}

} // namespace lockstep::ui
