// SPDX-License-Identifier: GPL-3.0-or-later
// One line of the rail: icon, name, a count or key at its right.
#pragma once

#include "ui/shell/rail.h"

#include <QAbstractButton>

#include <optional>

namespace lockstep::ui {

enum class RailLevel { Page, Run };

class RailItem : public QAbstractButton {
    Q_OBJECT

public:
    RailItem(Theme& theme, Icon icon, const QString& name, RailLevel level, QWidget* parent = nullptr);
    void setIconAndColour(Icon icon, const QColor& colour); // an invalid colour: that of words
    void setDetail(const QString& detail);                  // never elided
    void setForm(RailForm form);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Theme& m_theme;
    Icon m_icon;
    QColor m_colour;
    RailLevel m_level;
    QString m_detail;
    RailForm m_form = RailForm::Wide;
};

} // namespace lockstep::ui
