// SPDX-License-Identifier: GPL-3.0-or-later
// A push button of the tokens document; its icon follows the scheme.
#pragma once

#include "ui/theme.h"

#include <QPushButton>

#include <optional>

namespace lockstep::ui {

enum class ButtonKind { Outlined, Primary, Flat, Danger };
enum class ButtonSize { Usual, Small, Large }; // 28, 24, 32 high

class Button : public QPushButton {
    Q_OBJECT

public:
    Button(Theme& theme, const QString& text, ButtonKind kind = ButtonKind::Outlined, std::optional<Icon> icon = {},
           ButtonSize size = ButtonSize::Usual, QWidget* parent = nullptr);

    void setKind(ButtonKind kind);
    void setPicture(Icon icon);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

private:
    void tint();
    [[nodiscard]] QIcon padded(const QColor& colour) const; // the style's own gap to the words is too small

    Theme& m_theme;
    ButtonKind m_kind;
    std::optional<Icon> m_icon;
    int m_height;
};

} // namespace lockstep::ui
