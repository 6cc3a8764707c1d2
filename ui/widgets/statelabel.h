// SPDX-License-Identifier: GPL-3.0-or-later
// A state in icon and words of one colour. With a place to go it is a button; else it only speaks.
#pragma once

#include "ui/widgets/tone.h"

#include <QAbstractButton>

#include <optional>

namespace lockstep::ui {

class StateLabel : public QAbstractButton {
    Q_OBJECT

public:
    explicit StateLabel(Theme& theme, FontRole role = FontRole::Cell, QWidget* parent = nullptr);
    void setState(Icon icon, Tone tone, const QString& words);
    void setPlain(const QString& words, Tone tone); // no icon
    void setLink(Qt::CursorShape cursor);           // a hand: it can be pressed and takes the focus
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] int iconWidth() const;

    Theme& m_theme;
    std::optional<Icon> m_icon;
    Tone m_tone = Tone::Text2;
};

} // namespace lockstep::ui
