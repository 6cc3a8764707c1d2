// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/curvemarks.h"

#include "ui/plots/curvepath.h"
#include "ui/theme.h"

#include <QPainter>

#include <algorithm>
#include <limits>

namespace lockstep::ui {

namespace {

constexpr int kLabelPitch = 12;
constexpr int kLeader = 10; // from the curve's end to the stub
constexpr int kLabelStub = 8;
constexpr int kTextGap = 4;
constexpr int kMarkSize = 8;
constexpr int kHatchHeight = 8;

void paintCross(QPainter& painter, QPointF centre, double size)
{
    painter.drawLine(centre + QPointF(-size / 2, -size / 2), centre + QPointF(size / 2, size / 2));
    painter.drawLine(centre + QPointF(-size / 2, size / 2), centre + QPointF(size / 2, -size / 2));
}

void paintTriangle(QPainter& painter, QPointF tip, double size, double down)
{
    painter.drawPolygon(QPolygonF({tip, tip + QPointF(-size / 2, down * size), tip + QPointF(size / 2, down * size)}));
}

} // namespace

void paintEndLabels(QPainter& painter, const Theme& theme, const PlotFrame& frame, QList<EndLabel> labels)
{
    const QFont font = theme.font(FontRole::Caption);
    const double pitch = std::max<double>(theme.px(kLabelPitch), QFontMetrics(font).ascent());
    const auto fitting = static_cast<qsizetype>(frame.area.height() / pitch);
    std::stable_sort(labels.begin(), labels.end(),
                     [](const EndLabel& a, const EndLabel& b) { return a.weight > b.weight; });
    labels.resize(std::min(labels.size(), std::max<qsizetype>(fitting, 1)));
    std::vector<double> wanted;
    for (const EndLabel& label : labels)
        wanted.push_back(std::clamp(label.y, frame.area.top(), frame.area.bottom()));
    const std::vector<double> places =
        spreadLabels(wanted, pitch, frame.area.top() + pitch / 2, frame.area.bottom() - pitch / 2 + 2);
    painter.setFont(font);
    for (qsizetype i = 0; i < labels.size(); ++i) {
        const double y = std::round(places[static_cast<std::size_t>(i)]);
        const double left = frame.area.right() + kLeader;
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(labels[i].colour, 0));
        painter.drawLine(QPointF(frame.area.right() + 1, wanted[static_cast<std::size_t>(i)]), QPointF(left, y));
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.fillRect(QRectF(left, y - 1, kLabelStub, 2), labels[i].colour);
        painter.setPen(labels[i].words);
        const QRectF text(left + kLabelStub + kTextGap, y - pitch, theme.px(80), 2 * pitch);
        painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, labels[i].text);
    }
}

void paintNonFinite(QPainter& painter, const Theme& theme, const PlotFrame& frame, const std::vector<RankCurve>& curves)
{
    double firstNan = std::numeric_limits<double>::infinity();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.tokens().bad, 1.4));
    for (const RankCurve& curve : curves) {
        if (curve.raw->nonFinite() == 0)
            continue;
        std::vector<Column> columns = curve.rawColumns;
        if (columns.empty()) {
            columns.resize(static_cast<std::size_t>(frame.columns()));
            curve.raw->decimate(frame.x.from, frame.x.to, columns);
        }
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const double x = frame.area.left() + static_cast<double>(i) + 0.5;
            if (columns[i].nan > 0) {
                paintCross(painter, {x, frame.area.bottom() - kMarkSize / 2.0}, kMarkSize);
                firstNan = std::min(firstNan, x);
            }
            painter.setBrush(theme.tokens().bad);
            if (columns[i].posInf > 0)
                paintTriangle(painter, {x, frame.area.top()}, kMarkSize, 1);
            if (columns[i].negInf > 0)
                paintTriangle(painter, {x, frame.area.bottom()}, kMarkSize, -1);
            painter.setBrush(Qt::NoBrush);
        }
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    if (std::isfinite(firstNan)) {
        QPen dotted(theme.tokens().bad, 0);
        dotted.setDashPattern({1, 2});
        painter.setPen(dotted);
        painter.drawLine(QPointF(firstNan, frame.area.top()), QPointF(firstNan, frame.area.bottom() - kMarkSize));
    }
}

void paintMissing(QPainter& painter, const Theme& theme, const PlotFrame& frame, double fromX, const QString& text)
{
    const double left = std::clamp(frame.px(fromX), frame.area.left(), frame.area.right());
    const QRectF hatch(left, frame.area.bottom() - kHatchHeight, frame.area.right() - left, kHatchHeight);
    painter.save();
    painter.setClipRect(hatch);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.tokens().warn, 0));
    for (double x = hatch.left() - kHatchHeight; x < hatch.right(); x += 4)
        painter.drawLine(QPointF(x, hatch.bottom()), QPointF(x + kHatchHeight, hatch.top()));
    painter.restore();
    painter.setFont(theme.font(FontRole::Caption));
    painter.setPen(theme.tokens().warn);
    const double width = painter.fontMetrics().horizontalAdvance(text) + 2;
    painter.drawText(QRectF(frame.area.right() - width, hatch.top() - 18, width, 16), Qt::AlignRight | Qt::AlignVCenter,
                     text);
}

} // namespace lockstep::ui
