// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/stepplot.h"

#include "ui/plots/bands.h"
#include "ui/plots/curvepath.h"
#include "ui/plots/figures.h"
#include "ui/plots/plotheader.h"
#include "ui/plots/rankcurves.h"
#include "ui/plots/xmap.h"
#include "ui/theme.h"

#include <QPainter>

#include <algorithm>
#include <limits>

namespace lockstep::ui {

namespace {

constexpr double kRoom = 1.12;          // above the stack, of its height
constexpr double kTallestShare = 0.995; // of the columns: one endless first step must not flatten all others
constexpr int kLabelPitch = 12;

std::size_t pointsInRange(const Series& series, const XRange& range)
{
    return series.lowerBound(range.to) - series.lowerBound(range.from);
}

double tallest(const std::vector<double>& edge)
{
    std::vector<double> finite;
    std::copy_if(edge.begin(), edge.end(), std::back_inserter(finite), [](double y) { return std::isfinite(y); });
    if (finite.empty())
        return 0;
    const double rank = kTallestShare * static_cast<double>(finite.size() - 1);
    const auto at = finite.begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(finite.begin(), at, finite.end());
    return *at;
}

} // namespace

StepPlot::StepPlot(Theme& theme, PlotView& view, const RunData& data, QWidget* parent)
    : PlotPanel(theme, view, data, QStringLiteral("step time, ms"), parent)
{
}

std::vector<const Series*> StepPlot::seriesOf(const char* metric) const
{
    std::vector<const Series*> found;
    for (int rank = 0; rank < data().plan().worldSize; ++rank) {
        const Series* series = rankSeries(data(), rank, QLatin1String(metric), view().axis());
        if (series && series->size() > 0)
            found.push_back(series);
    }
    return found;
}

void StepPlot::prepare(const XMap&)
{
    const int pixels = canvas().frame().columns();
    std::size_t points = 0;
    std::array<std::vector<const Series*>, kStepParts.size()> all;
    m_ranks = 0;
    for (std::size_t part = 0; part < kStepParts.size(); ++part) {
        all[part] = seriesOf(kStepParts[part].metric);
        m_ranks = std::max(m_ranks, static_cast<int>(all[part].size()));
        for (const Series* series : all[part])
            points = std::max(points, pointsInRange(*series, view().range()));
    }
    const auto count = static_cast<std::size_t>(bandColumnCount(pixels, points));
    std::vector<double> below(count, 0);
    std::vector<Column> columns(count);
    for (std::size_t part = 0; part < kStepParts.size(); ++part) {
        std::vector<double> sum(count, 0);
        std::vector<int> ranks(count, 0);
        for (const Series* series : all[part]) {
            std::fill(columns.begin(), columns.end(), Column{});
            series->decimate(view().range().from, view().range().to, columns);
            for (std::size_t i = 0; i < count; ++i) {
                if (columns[i].count == 0)
                    continue;
                sum[i] += static_cast<double>(columns[i].mean);
                ++ranks[i];
            }
        }
        m_edges[part].assign(count, NAN);
        for (std::size_t i = 0; i < count; ++i) {
            const double x =
                view().range().from + static_cast<double>(i) / static_cast<double>(count) * view().range().size();
            if (view().limit() && x > *view().limit())
                continue;
            if (ranks[i] > 0)
                below[i] += sum[i] / ranks[i];
            if (ranks[i] > 0 || (part > 0 && std::isfinite(m_edges[part - 1][i])))
                m_edges[part][i] = below[i];
        }
    }
    const double top = tallest(m_edges.back());
    canvas().setYRange({0, top > 0 ? top * kRoom : 1, YScale::Linear});
}

void StepPlot::paintContent(QPainter& painter, const PlotFrame& frame)
{
    const Tokens& tokens = theme().tokens();
    const std::size_t count = m_edges.back().size();
    const double width = frame.area.width() / static_cast<double>(std::max<std::size_t>(count, 1));
    painter.save();
    painter.setClipRect(frame.area.adjusted(1, 0, 1, 0));
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t part = kStepParts.size(); part-- > 0;) {
        // Painted from the top part down, each to the axis: the edge between two is drawn once.
        QPolygonF ground, edge;
        for (std::size_t i = 0; i < count; ++i) {
            if (!std::isfinite(m_edges[part][i]))
                continue;
            const double x = frame.area.left() + (static_cast<double>(i) + 0.5) * width;
            edge << QPointF(x, std::max(frame.py(m_edges[part][i]), frame.area.top() - 2));
        }
        if (edge.size() < 2)
            continue;
        edge.prepend(QPointF(std::max(frame.area.left(), edge.front().x() - width / 2), edge.front().y()));
        edge.append(QPointF(std::min(frame.area.right(), edge.back().x() + width / 2), edge.back().y()));
        ground = edge;
        ground << QPointF(edge.back().x(), frame.area.bottom()) << QPointF(edge.front().x(), frame.area.bottom());
        painter.setPen(Qt::NoPen);
        painter.setBrush(stepPartColour(tokens, kStepParts[part].part));
        painter.drawPolygon(ground);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(tokens.surface, 0));
        painter.drawPolyline(edge);
    }
    painter.restore();

    std::vector<double> wanted;
    std::vector<const char*> names;
    double below = 0;
    for (std::size_t part = 0; part < kStepParts.size(); ++part) {
        const auto last =
            std::find_if(m_edges[part].rbegin(), m_edges[part].rend(), [](double y) { return std::isfinite(y); });
        if (last == m_edges[part].rend())
            continue;
        wanted.push_back(std::clamp(frame.py((below + *last) / 2), frame.area.top(), frame.area.bottom()));
        names.push_back(kStepParts[part].name);
        below = *last;
    }
    const double pitch = theme().px(kLabelPitch);
    if (frame.area.height() < pitch * static_cast<double>(names.size()))
        return; // the legend above names them all
    painter.setFont(theme().font(FontRole::Caption));
    painter.setPen(tokens.text3);
    const std::vector<double> places =
        spreadLabels(wanted, pitch, frame.area.top() + pitch / 2, frame.area.bottom() - pitch / 3);
    for (std::size_t i = 0; i < names.size(); ++i)
        painter.drawText(QRectF(frame.area.right() + 8, places[i] - pitch, theme().px(64), 2 * pitch),
                         Qt::AlignLeft | Qt::AlignVCenter, QLatin1String(names[i]));
}

double StepPlot::value(StepPart part) const
{
    double x = view().cursor().value_or(std::numeric_limits<double>::infinity());
    if (view().limit())
        x = std::min(x, *view().limit());
    double sum = 0;
    int count = 0;
    for (const StepPartInfo& info : kStepParts) {
        if (info.part != part)
            continue;
        for (const Series* series : seriesOf(info.metric)) {
            if (const double value = valueAt(*series, x); std::isfinite(value)) {
                sum += value;
                ++count;
            }
        }
    }
    return count > 0 ? sum / count : NAN;
}

void StepPlot::fillHeader()
{
    QList<LegendEntry> legend;
    for (const StepPartInfo& info : kStepParts) {
        const double ms = value(info.part);
        legend << LegendEntry{.mark = LegendEntry::Mark::Square,
                              .colour = stepPartColour(theme().tokens(), info.part),
                              .name = QLatin1String(info.name),
                              .value = std::isfinite(ms) ? figures::decimal(ms, ms < 10 ? 1 : 0) : QStringLiteral("–")};
    }
    header().setLegend(legend);
    header().setNote(m_ranks > 1    ? QStringLiteral("mean of %1 ranks").arg(m_ranks)
                     : m_ranks == 1 ? QStringLiteral("1 rank")
                                    : QString());
}

} // namespace lockstep::ui
