// SPDX-License-Identifier: GPL-3.0-or-later
// What stands beside curves: names at their right ends, marks where a value is no number, hatching where ranks are
// missing.
#pragma once

#include "ui/plots/plotframe.h"
#include "ui/plots/rankcurves.h"

#include <QColor>
#include <QString>

class QPainter;

namespace lockstep::ui {

class Theme;

struct EndLabel {
    double y = 0; // in pixels: where the curve ends
    QString text = {};
    QColor colour = {}; // of the stub
    QColor words = {};
    int weight = 0; // the heaviest stay when not all fit
};

void paintEndLabels(QPainter& painter, const Theme& theme, const PlotFrame& frame, QList<EndLabel> labels);

// × at the lower axis for NaN, ▲ ▼ at the edges for infinities; the first NaN also as a dotted line.
void paintNonFinite(QPainter& painter, const Theme& theme, const PlotFrame& frame,
                    const std::vector<RankCurve>& curves);

// From `fromX` to the right end.
void paintMissing(QPainter& painter, const Theme& theme, const PlotFrame& frame, double fromX, const QString& text);

} // namespace lockstep::ui
