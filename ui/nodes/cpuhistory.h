// SPDX-License-Identifier: GPL-3.0-or-later
// The last minute of a node's CPU, 0 to 100 %, newest at the right. Thread: GUI.
#pragma once

#include "ui/theme.h"

#include <QWidget>

namespace lockstep::ui {

class CpuHistory : public QWidget {
    Q_OBJECT

public:
    explicit CpuHistory(Theme& theme, QWidget* parent = nullptr);
    void setHistory(const QList<double>& percents); // 1 Hz, oldest first; up to 60
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void paintAxes(QPainter& painter, const QRect& plot) const;

    Theme& m_theme;
    QList<double> m_percents;
};

} // namespace lockstep::ui
