// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/laneplot.h"

#include "ui/plots/curvepath.h"
#include "ui/plots/devicelist.h"
#include "ui/plots/figures.h"
#include "ui/plots/hatching.h"
#include "ui/plots/plotheader.h"
#include "ui/plots/rankcurves.h"
#include "ui/plots/xmap.h"
#include "ui/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::ui {

namespace {

constexpr int kWordsHigh = 12;      // of a caption, without the room under its letters
constexpr double kSampleGapS = 3.5; // samples come each second: more is a gap, drawn as one
constexpr int kLaneGap = 2, kNodeGap = 2, kLargestLane = 17, kLoneLane = 36;
constexpr int kThickRow = 2, kManyDevices = 128; // above: rows of 1 px
constexpr double kAgeOfMissing = 2.5;

// Even columns of seconds put under columns of another x: the nearest in time.
std::vector<Column> columnsAt(const Series& series, const PlotFrame& frame, const XMap& map, XFamily family)
{
    const auto count = static_cast<std::size_t>(frame.columns());
    std::vector<Column> columns(count);
    if (family == XFamily::Seconds) {
        series.decimate(frame.x.from, frame.x.to, columns);
        return columns;
    }
    const double from = map.toSeconds(frame.x.from), to = map.toSeconds(frame.x.to);
    if (!(to > from))
        return columns;
    std::vector<Column> even(count);
    series.decimate(from, to, even);
    for (std::size_t i = 0; i < count; ++i) {
        const double x = frame.x.from + (static_cast<double>(i) + 0.5) / static_cast<double>(count) * frame.x.size();
        const double share = (map.toSeconds(x) - from) / (to - from) * static_cast<double>(count);
        columns[i] = even[static_cast<std::size_t>(std::clamp(share, 0.0, static_cast<double>(count - 1)))];
    }
    return columns;
}

} // namespace

LanePlot::LanePlot(Theme& theme, PlotView& view, const RunData& data, QWidget* parent)
    : PlotPanel(theme, view, data, QStringLiteral("device utilisation"), parent)
{
    canvas().setYLabels(PlotCanvas::YLabels::Hidden);
    canvas().setYRange({0, 1, YScale::Linear});
    connect(&canvas(), &PlotCanvas::clickedAt, this, [this](QPointF pixel) {
        const std::vector<QRectF> where = places(canvas().frame());
        for (std::size_t i = 0; i < where.size(); ++i)
            if (pixel.y() >= where[i].top() && pixel.y() < where[i].bottom())
                emit deviceClicked(m_lanes[i].nodeIndex, m_lanes[i].device);
    });
}

void LanePlot::prepare(const XMap& map)
{
    m_lanes.clear();
    const PlotFrame frame = canvas().frame();
    int number = 0;
    for (const ListedDevice& device : devicesOf(data())) {
        Lane lane{.nodeIndex = device.nodeIndex,
                  .number = device.rank >= 0 ? device.rank : number,
                  .device = device.id,
                  .label = device.label,
                  .series = device.util,
                  .away = isAway(data(), device.nodeIndex)};
        if (device.util) {
            lane.columns = columnsAt(*device.util, {frame.area, view().range(), {}}, map, view().family());
            if (view().limit()) {
                const double share = (*view().limit() - view().range().from) / view().range().size();
                const auto size = static_cast<double>(lane.columns.size());
                const auto first = static_cast<std::ptrdiff_t>(std::clamp(share, 0.0, 1.0) * size);
                std::fill(lane.columns.begin() + first, lane.columns.end(), Column{});
            }
        }
        m_lanes.push_back(std::move(lane));
        ++number;
    }
}

std::vector<QRectF> LanePlot::places(const PlotFrame& frame) const
{
    std::vector<QRectF> places;
    const auto count = static_cast<double>(m_lanes.size());
    if (m_lanes.empty())
        return places;
    if (m_lanes.size() <= kMostLanes) {
        const int largest = m_lanes.size() <= 2 ? kLoneLane : kLargestLane;
        const double pitch = std::min(frame.area.height() / count, static_cast<double>(theme().px(largest + kLaneGap)));
        for (std::size_t i = 0; i < m_lanes.size(); ++i)
            places.emplace_back(frame.area.left(), std::round(frame.area.top() + static_cast<double>(i) * pitch),
                                frame.area.width(), std::floor(pitch) - kLaneGap);
        return places;
    }
    double row = m_lanes.size() > kManyDevices ? 1 : kThickRow;
    const auto nodes = static_cast<double>(data().plan().nodes.size());
    // Taller rows where there is room, never so low that devices fall out of sight.
    row = std::max(row, std::floor((frame.area.height() - nodes * kNodeGap) / count));
    row = std::min(row, static_cast<double>(theme().px(kLargestLane)));
    double y = frame.area.top();
    for (std::size_t i = 0; i < m_lanes.size(); ++i) {
        if (i > 0 && m_lanes[i].nodeIndex != m_lanes[i - 1].nodeIndex)
            y += kNodeGap;
        places.emplace_back(frame.area.left(), y, frame.area.width(), row);
        y += row;
    }
    return places;
}

double LanePlot::valueOf(const Lane& lane) const
{
    if (!lane.series || lane.series->size() == 0)
        return NAN;
    if (!view().cursor() && !view().limit())
        return lane.away ? NAN : lane.series->lastY();
    const double x = view().cursor().value_or(view().limit().value_or(0));
    const double seconds = XMap(data()).secondsAt(x, view().family());
    const std::size_t next = lane.series->lowerBound(seconds);
    const bool inGap = next == lane.series->size() && seconds - lane.series->lastX() > kAgeOfMissing;
    return inGap ? NAN : valueAt(*lane.series, seconds);
}

QString LanePlot::wordsOf(const Lane& lane) const
{
    const double value = valueOf(lane);
    if (isOver(data().state().phase) && !view().cursor())
        return QStringLiteral("ended");
    if (std::isfinite(value))
        return figures::percent(value / 100);
    return lane.series && lane.series->size() > 0 && !lane.away ? QStringLiteral("n/a") : QStringLiteral("no data");
}

void LanePlot::paintContent(QPainter& painter, const PlotFrame& frame)
{
    if (m_lanes.size() > kMostLanes) {
        paintRows(painter, frame);
        return;
    }
    const std::vector<QRectF> where = places(frame);
    // In a low plot the words of every second or third lane, so that they can be read.
    const double high = where.empty() ? 1 : std::max(where.front().height(), 1.0);
    const auto apart = static_cast<std::size_t>(std::ceil(theme().px(kWordsHigh) / high));
    for (std::size_t i = 0; i < m_lanes.size(); ++i) {
        const Lane& lane = m_lanes[i];
        paintLane(painter, frame, lane, where[i]);
        if (i % apart == 0)
            paintSideWords(painter, frame, where[i].top(), where[i].height(), lane.label, wordsOf(lane),
                           lane.away ? theme().tokens().warn : theme().tokens().text3);
    }
}

void LanePlot::paintLane(QPainter& painter, const PlotFrame& frame, const Lane& lane, QRectF place) const
{
    const Tokens& tokens = theme().tokens();
    const QColor colour = seriesColour(tokens, lane.number);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(QPen(tokens.axis, 0));
    painter.drawLine(QPointF(place.left(), place.bottom()), QPointF(place.right(), place.bottom()));
    const PlotFrame inLane{place, frame.x, {0, 100, YScale::Linear}};
    const double gap = view().family() == XFamily::Seconds ? kSampleGapS : kNoGap;
    painter.save();
    painter.setClipRect(place.adjusted(1, -1, 0, 1));
    painter.setRenderHint(QPainter::Antialiasing);
    for (const QPolygonF& piece : curvePieces(lane.columns, inLane, CurveShape::Mean, gap)) {
        QPolygonF ground = piece;
        ground << QPointF(piece.back().x(), place.bottom()) << QPointF(piece.front().x(), place.bottom());
        painter.setPen(Qt::NoPen);
        painter.setBrush(withOpacity(colour, tokens.laneOpacity));
        painter.drawPolygon(ground);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(colour, 0));
        painter.drawPolyline(piece);
    }
    painter.restore();
    if (lane.away && lane.series && lane.series->size() > 0) {
        const double from = std::clamp(frame.px(XMap(data()).xOfSeconds(lane.series->lastX(), view().family())),
                                       place.left(), place.right());
        paintHatching(painter, {from, place.top(), place.right() - from, place.height()}, tokens.text3);
    }
}

void LanePlot::paintRows(QPainter& painter, const PlotFrame& frame) const
{
    const Tokens& tokens = theme().tokens();
    const std::vector<QRectF> where = places(frame);
    const int width = frame.columns();
    QImage row(width, 1, QImage::Format_RGB32);
    for (std::size_t i = 0; i < m_lanes.size(); ++i) {
        const Lane& lane = m_lanes[i];
        auto* pixels = reinterpret_cast<QRgb*>(row.scanLine(0));
        QRgb carried = tokens.surface.rgb();
        double age = std::numeric_limits<double>::infinity();
        const double columnSize = frame.x.size() / width;
        const double gap = view().family() == XFamily::Seconds ? kSampleGapS : kNoGap;
        for (int x = 0; x < width; ++x) {
            const bool has = static_cast<std::size_t>(x) < lane.columns.size() &&
                             lane.columns[static_cast<std::size_t>(x)].count > 0;
            age = has ? 0 : age + columnSize;
            if (has)
                carried =
                    utilisationColour(tokens, static_cast<double>(lane.columns[static_cast<std::size_t>(x)].mean) / 100)
                        .rgb();
            const bool later = frame.xAt(frame.area.left() + x) > lastX();
            pixels[x] = age <= gap && !later ? carried : tokens.surface.rgb();
        }
        painter.drawImage(where[i], row);
        if (lane.away && lane.series && lane.series->size() > 0) {
            const double from = std::clamp(frame.px(XMap(data()).xOfSeconds(lane.series->lastX(), view().family())),
                                           where[i].left(), where[i].right());
            painter.fillRect(QRectF(from, where[i].top(), where[i].right() - from, where[i].height()), tokens.surface);
        }
    }
    for (std::size_t first = 0; first < m_lanes.size();) {
        std::size_t last = first;
        double sum = 0;
        int count = 0;
        double lastSample = -std::numeric_limits<double>::infinity();
        for (; last < m_lanes.size() && m_lanes[last].nodeIndex == m_lanes[first].nodeIndex; ++last) {
            if (m_lanes[last].series && m_lanes[last].series->size() > 0)
                lastSample = std::max(lastSample, m_lanes[last].series->lastX());
            if (const double value = valueOf(m_lanes[last]); std::isfinite(value)) {
                sum += value;
                ++count;
            }
        }
        const QRectF block(where[first].left(), where[first].top(), where[first].width(),
                           where[last - 1].bottom() - where[first].top());
        const bool away = m_lanes[first].away;
        if (away && std::isfinite(lastSample)) {
            const double from =
                std::clamp(frame.px(XMap(data()).xOfSeconds(lastSample, view().family())), block.left(), block.right());
            paintHatching(painter, {from, block.top(), block.right() - from, block.height()}, tokens.text3);
        }
        const QString left = data().plan().nodes.value(m_lanes[first].nodeIndex).name;
        const QString right = count > 0 ? figures::percent(sum / count / 100) : QStringLiteral("no data");
        paintSideWords(painter, frame, block.top(), block.height(), left, right, away ? tokens.warn : tokens.text3);
        first = last;
    }
}

void LanePlot::paintSideWords(QPainter& painter, const PlotFrame& frame, double y, double height, const QString& left,
                              const QString& right, const QColor& colour) const
{
    painter.setFont(theme().font(FontRole::Caption));
    painter.setPen(colour);
    const double line = std::max(height, 14.0), top = y + height / 2 - line / 2;
    const double leftWidth = frame.area.left() - 14;
    const QString name = painter.fontMetrics().elidedText(left, Qt::ElideMiddle, static_cast<int>(leftWidth));
    painter.drawText(QRectF(6, top, leftWidth, line), Qt::AlignRight | Qt::AlignVCenter, name);
    painter.drawText(QRectF(frame.area.right() + 8, top, theme().px(64), line), Qt::AlignLeft | Qt::AlignVCenter,
                     right);
}

void LanePlot::fillHeader()
{
    const bool rows = m_lanes.size() > kMostLanes;
    std::size_t most = 0;
    QStringList away;
    for (const Lane& lane : m_lanes) {
        most = std::max(most, lane.series ? lane.series->size() : 0);
        const QString node = data().plan().nodes.value(lane.nodeIndex).name;
        if (lane.away && !away.contains(node))
            away << node;
    }
    header().setLegend({{.name = m_lanes.empty() ? QStringLiteral("no sample yet")
                                 : rows          ? QStringLiteral("a row is a device, colours as below")
                                                 : QStringLiteral("a lane is 0 to 100 %")}});
    QString note = figures::grouped(static_cast<qint64>(m_lanes.size())) + QStringLiteral(" × ") +
                   figures::grouped(static_cast<qint64>(most)) + QStringLiteral(" samples");
    if (!away.isEmpty())
        note += QStringLiteral(" · gap: ") + away.join(QStringLiteral(", "));
    header().setNote(m_lanes.empty() ? QString() : note);
}

} // namespace lockstep::ui
