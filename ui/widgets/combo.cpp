// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/combo.h"

#include <QListView>
#include <QStyleOptionComboBox>
#include <QStylePainter>

namespace lockstep::ui {

Combo::Combo(Theme& theme, QString caption, QWidget* parent)
    : QComboBox(parent), m_theme(theme), m_caption(std::move(caption))
{
    setFont(theme.font(FontRole::Control));
    setHeight(28);
    setView(new QListView(this)); // Fusion's own popup view ignores the style sheet's rows
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(&theme, &Theme::changed, this, [this] { update(); });
    connect(this, &QComboBox::currentTextChanged, this, [this] { updateGeometry(); });
}

void Combo::setHeight(int at100)
{
    setFixedHeight(m_theme.px(at100));
}

QSize Combo::sizeHint() const
{
    int widest = 0;
    for (int i = 0; i < count(); ++i)
        widest = std::max(widest, fontMetrics().horizontalAdvance(itemText(i)));
    const int caption = m_caption.isEmpty() ? 0 : m_theme.textWidth(FontRole::Cell, m_caption) + m_theme.px(6);
    return {widest + caption + m_theme.px(8 + 34), height()};
}

QSize Combo::minimumSizeHint() const
{
    return {m_theme.px(60), height()};
}

void Combo::paintEvent(QPaintEvent*)
{
    const Tokens& t = m_theme.tokens();
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    const QString value = option.currentText;
    option.currentText.clear();
    painter.drawComplexControl(QStyle::CC_ComboBox, option);

    QRect place = rect().adjusted(m_theme.px(8), 0, -m_theme.px(28), 0);
    if (!m_caption.isEmpty()) {
        painter.setFont(m_theme.font(FontRole::Cell));
        painter.setPen(t.text2);
        painter.drawText(place, Qt::AlignVCenter | Qt::AlignLeft, m_caption);
        place.setLeft(place.left() + m_theme.textWidth(FontRole::Cell, m_caption) + m_theme.px(6));
    }
    painter.setFont(font());
    painter.setPen(isEnabled() ? t.text : t.text3);
    painter.drawText(place, Qt::AlignVCenter | Qt::AlignLeft,
                     fontMetrics().elidedText(value, Qt::ElideRight, place.width()));
    const QPixmap chevron = m_theme.pixmap(Icon::Down, isEnabled() ? t.text2 : t.text3, 14, devicePixelRatioF());
    const int side = m_theme.px(14);
    painter.drawPixmap(width() - m_theme.px(10) - side, (height() - side) / 2, chevron);
}

} // namespace lockstep::ui
