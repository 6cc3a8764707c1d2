// SPDX-License-Identifier: GPL-3.0-or-later
// Columns of a pyramid -> lines to draw. A NaN between two columns breaks the line: nothing joins across it. Pure.
#pragma once

#include "core/series.h"
#include "ui/plots/bands.h"
#include "ui/plots/plotframe.h"

#include <QLineF>
#include <QList>
#include <QPolygonF>

#include <span>
#include <vector>

namespace lockstep::ui {

enum class CurveShape {
    Range, // first, min, max, last of each column: no point is lost to thinning
    Mean,  // one vertex a column: for smoothed curves and means
};
constexpr double kNoGap = 1e300;

// Columns cover frame.x evenly. Points farther apart than `gap` (in x) are not joined.
[[nodiscard]] std::vector<QPolygonF> curvePieces(std::span<const Column> columns, const PlotFrame& frame,
                                                 CurveShape shape, double gap = kNoGap);

// The same as one stroke a column, from its least to its greatest value and on to the column before: where points are
// denser than pixels, so that a translucent pen darkens no pixel twice.
[[nodiscard]] QList<QLineF> curveSpans(std::span<const Column> columns, const PlotFrame& frame);
[[nodiscard]] bool isDense(std::span<const Column> columns); // two points a column and more

enum class Band { Outer, Inner };
[[nodiscard]] QPolygonF bandPolygon(std::span<const BandColumn> bands, const PlotFrame& frame, Band band);
[[nodiscard]] QPolygonF bandMean(std::span<const BandColumn> bands, const PlotFrame& frame);

// Label positions from top to bottom, moved as little as possible until they are `pitch` apart and inside [top,
// bottom]. The order of `wanted` need not be sorted; the answer has its order.
[[nodiscard]] std::vector<double> spreadLabels(std::span<const double> wanted, double pitch, double top, double bottom);

} // namespace lockstep::ui
