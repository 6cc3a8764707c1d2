// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/button.h"

#include <QFontMetrics>
#include <QPainter>
#include <QStyle>

namespace lockstep::ui {

namespace {

QString name(ButtonKind kind)
{
    switch (kind) {
    case ButtonKind::Outlined:
        return QStringLiteral("outlined");
    case ButtonKind::Primary:
        return QStringLiteral("primary");
    case ButtonKind::Flat:
        return QStringLiteral("flat");
    case ButtonKind::Danger:
        return QStringLiteral("danger");
    }
    return {};
}

int heightOf(ButtonSize size)
{
    switch (size) {
    case ButtonSize::Usual:
        return 28;
    case ButtonSize::Small:
        return 24;
    case ButtonSize::Large:
        return 32;
    }
    return 28;
}

} // namespace

Button::Button(Theme& theme, const QString& text, ButtonKind kind, std::optional<Icon> icon, ButtonSize size,
               QWidget* parent)
    : QPushButton(text, parent), m_theme(theme), m_kind(kind), m_icon(icon), m_height(theme.px(heightOf(size)))
{
    setFont(theme.font(kind == ButtonKind::Primary ? FontRole::PanelTitle
                       : size == ButtonSize::Small ? FontRole::Cell
                                                   : FontRole::Control));
    setFixedHeight(m_height);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setIconSize(QSize(theme.px(text.isEmpty() ? 16 : 20), theme.px(16)));
    setProperty("kind", name(kind));
    setAutoDefault(false);
    tint();
    connect(&theme, &Theme::changed, this, &Button::tint);
}

void Button::setPicture(Icon icon)
{
    m_icon = icon;
    tint();
}

void Button::setKind(ButtonKind kind)
{
    if (m_kind == kind)
        return;
    m_kind = kind;
    setProperty("kind", name(kind));
    style()->unpolish(this);
    style()->polish(this);
    tint();
}

QSize Button::sizeHint() const
{
    int width = fontMetrics().horizontalAdvance(text()) + m_theme.px(24) + 2;
    if (m_icon)
        width = text().isEmpty() ? m_height : width + m_theme.px(20) + 4;
    return {width, m_height};
}

QIcon Button::padded(const QColor& colour) const
{
    QIcon icon;
    for (const qreal ratio : {1.0, 2.0})
        for (const auto& [mode, tint] : {std::pair{QIcon::Normal, colour}, {QIcon::Disabled, m_theme.tokens().text3}}) {
            QPixmap pixmap(iconSize() * ratio);
            pixmap.setDevicePixelRatio(ratio);
            pixmap.fill(Qt::transparent);
            QPainter(&pixmap).drawPixmap(0, 0, m_theme.pixmap(*m_icon, tint, 16, ratio));
            icon.addPixmap(pixmap, mode);
        }
    return icon;
}

void Button::tint()
{
    if (!m_icon)
        return;
    const Tokens& t = m_theme.tokens();
    switch (m_kind) {
    case ButtonKind::Outlined:
        setIcon(padded(t.text));
        return;
    case ButtonKind::Primary:
        setIcon(padded(t.onAccent));
        return;
    case ButtonKind::Flat:
        setIcon(padded(t.text2));
        return;
    case ButtonKind::Danger:
        setIcon(padded(t.bad));
        return;
    }
}

} // namespace lockstep::ui
