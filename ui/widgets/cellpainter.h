// SPDX-License-Identifier: GPL-3.0-or-later
// The small figures inside cells. Each draws at the left of `place` and returns what is left of it.
#pragma once

#include "ui/widgets/cell.h"

class QPainter;

namespace lockstep::ui {

struct CellPainter {
    const Theme& theme;
    QPainter& painter;
    qreal ratio = 1;

    [[nodiscard]] QRect square(QRect place, int series) const;
    [[nodiscard]] QRect icon(QRect place, Icon icon, const QColor& colour) const;
    [[nodiscard]] QRect bar(QRect place, double fraction) const;
    [[nodiscard]] QRect bars(QRect place, const std::vector<double>& fractions) const;
    [[nodiscard]] QRect tags(QRect place, const QStringList& tags) const;
    void sparkline(QRect place, const std::vector<float>& values, const QColor& colour) const;
    // Elided; at the right edge when `alignment` says so.
    [[nodiscard]] QRect words(QRect place, const QString& text, const QFont& font, const QColor& colour,
                              Qt::Alignment alignment = Qt::AlignLeft) const;
};

} // namespace lockstep::ui
