// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/curvepath.h"

#include <algorithm>
#include <numeric>

namespace lockstep::ui {

namespace {

// QPainter's rasteriser loses its way with coordinates of millions of pixels, which a deep zoom makes.
constexpr double kFarPixels = 20'000;

QPointF placed(double x, double y, const PlotFrame& frame)
{
    return {x, std::clamp(frame.py(y), frame.area.top() - kFarPixels, frame.area.bottom() + kFarPixels)};
}

bool drawable(double y, const PlotFrame& frame)
{
    return frame.y.scale == YScale::Linear || y > 0;
}

double columnCentre(std::size_t index, std::size_t count, const PlotFrame& frame)
{
    const double width = frame.area.width() / static_cast<double>(count);
    return frame.area.left() + (static_cast<double>(index) + 0.5) * width;
}

void appendColumn(QPolygonF& piece, const Column& column, double x, const PlotFrame& frame, CurveShape shape)
{
    const auto add = [&](float y) {
        const double value = static_cast<double>(y);
        if (drawable(value, frame))
            piece << placed(x, value, frame);
    };
    if (shape == CurveShape::Mean) {
        add(column.mean);
        return;
    }
    add(column.first);
    if (column.count > 1) {
        add(column.min);
        add(column.max);
        add(column.last);
    }
}

} // namespace

std::vector<QPolygonF> curvePieces(std::span<const Column> columns, const PlotFrame& frame, CurveShape shape,
                                   double gap)
{
    std::vector<QPolygonF> pieces;
    QPolygonF piece;
    const auto finish = [&] {
        if (!piece.isEmpty())
            pieces.push_back(std::move(piece));
        piece = {};
    };
    const double columnSize = frame.x.size() / static_cast<double>(std::max<std::size_t>(columns.size(), 1));
    std::size_t last = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const Column& column = columns[i];
        const bool broken = column.nan + column.posInf + column.negInf > 0;
        if (broken)
            finish(); // which point of the column it was is less than a pixel away
        if (column.count == 0)
            continue;
        if (!piece.isEmpty() && static_cast<double>(i - last - 1) * columnSize > gap)
            finish();
        appendColumn(piece, column, columnCentre(i, columns.size(), frame), frame, shape);
        last = i;
        if (broken)
            finish();
    }
    finish();
    return pieces;
}

QList<QLineF> curveSpans(std::span<const Column> columns, const PlotFrame& frame)
{
    QList<QLineF> spans;
    const Column* before = nullptr;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const Column& column = columns[i];
        const bool broken = column.nan + column.posInf + column.negInf > 0;
        if (column.count == 0 || broken || !drawable(static_cast<double>(column.min), frame))
            before = nullptr;
        if (column.count == 0 || !drawable(static_cast<double>(column.min), frame))
            continue;
        float low = column.min, high = column.max;
        if (before) { // they meet
            low = std::min(low, before->max);
            high = std::max(high, before->min);
        }
        const double x = columnCentre(i, columns.size(), frame);
        const QPointF top = placed(x, static_cast<double>(high), frame),
                      bottom = placed(x, static_cast<double>(low), frame);
        spans << QLineF(top, QPointF(x, std::max(bottom.y(), top.y() + 1)));
        before = broken ? nullptr : &column;
    }
    return spans;
}

bool isDense(std::span<const Column> columns)
{
    std::size_t points = 0, filled = 0;
    for (const Column& column : columns) {
        points += column.count;
        filled += column.count > 0 ? 1 : 0;
    }
    return filled > 0 && points >= 2 * filled;
}

QPolygonF bandPolygon(std::span<const BandColumn> bands, const PlotFrame& frame, Band band)
{
    QPolygonF upper, lower;
    for (std::size_t i = 0; i < bands.size(); ++i) {
        const BandColumn& column = bands[i];
        const double low = static_cast<double>(band == Band::Outer ? column.min : column.low);
        const double high = static_cast<double>(band == Band::Outer ? column.max : column.high);
        if (column.ranks == 0 || !drawable(low, frame))
            continue;
        const double x = columnCentre(i, bands.size(), frame);
        upper << placed(x, high, frame);
        lower << placed(x, low, frame);
    }
    std::reverse(lower.begin(), lower.end());
    return upper + lower;
}

QPolygonF bandMean(std::span<const BandColumn> bands, const PlotFrame& frame)
{
    QPolygonF line;
    for (std::size_t i = 0; i < bands.size(); ++i) {
        const double mean = static_cast<double>(bands[i].mean);
        if (bands[i].ranks > 0 && drawable(mean, frame))
            line << placed(columnCentre(i, bands.size(), frame), mean, frame);
    }
    return line;
}

std::vector<double> spreadLabels(std::span<const double> wanted, double pitch, double top, double bottom)
{
    std::vector<std::size_t> order(wanted.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
    std::vector<double> places(wanted.begin(), wanted.end());
    double next = top;
    for (const std::size_t i : order) {
        places[i] = std::max(wanted[i], next);
        next = places[i] + pitch;
    }
    double limit = bottom;
    for (auto i = order.rbegin(); i != order.rend(); ++i) {
        places[*i] = std::min(places[*i], limit);
        limit = places[*i] - pitch;
    }
    return places;
}

} // namespace lockstep::ui
