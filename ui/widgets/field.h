// SPDX-License-Identifier: GPL-3.0-or-later
// A line to type in, 28 high; with an icon at its left and the key that leads here at its right where wanted.
#pragma once

#include "ui/theme.h"

#include <QLineEdit>

#include <optional>

namespace lockstep::ui {

class Field : public QLineEdit {
    Q_OBJECT

public:
    Field(Theme& theme, const QString& placeholder, std::optional<Icon> icon = {}, const QString& key = {},
          QWidget* parent = nullptr);
    void setCharacters(int characters);   // a width for so many digits
    void setWrong(const QString& reason); // bad outline, reason on hover; empty: right

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override; // Escape empties

private:
    Theme& m_theme;
    std::optional<Icon> m_icon;
    QString m_key;
};

} // namespace lockstep::ui
