// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/button.h"

#include <QFontMetrics>
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
    setIconSize(QSize(theme.px(16), theme.px(16)));
    setProperty("kind", name(kind));
    setAutoDefault(false);
    tint();
    connect(&theme, &Theme::changed, this, &Button::tint);
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
        width = text().isEmpty() ? m_height : width + m_theme.px(16) + 6;
    return {width, m_height};
}

void Button::tint()
{
    if (!m_icon)
        return;
    const Tokens& t = m_theme.tokens();
    switch (m_kind) {
    case ButtonKind::Outlined:
        setIcon(m_theme.icon(*m_icon, t.text));
        return;
    case ButtonKind::Primary:
        setIcon(m_theme.icon(*m_icon, t.onAccent));
        return;
    case ButtonKind::Flat:
        setIcon(m_theme.icon(*m_icon, t.text2));
        return;
    case ButtonKind::Danger:
        setIcon(m_theme.icon(*m_icon, t.bad));
        return;
    }
}

} // namespace lockstep::ui
