// SPDX-License-Identifier: GPL-3.0-or-later
// A combo box with a tinted chevron and, where wanted, a caption before its value ("model  resnet18").
#pragma once

#include "ui/theme.h"

#include <QComboBox>

namespace lockstep::ui {

class Combo : public QComboBox {
    Q_OBJECT

public:
    explicit Combo(Theme& theme, QString caption = {}, QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    void setHeight(int at100);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Theme& m_theme;
    QString m_caption;
};

} // namespace lockstep::ui
