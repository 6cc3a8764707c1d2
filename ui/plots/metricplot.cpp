// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/metricplot.h"

#include "ui/plots/curvemarks.h"
#include "ui/plots/curvepath.h"
#include "ui/plots/figures.h"
#include "ui/plots/xmap.h"
#include "ui/theme.h"

#include <QPainter>

#include <algorithm>
#include <limits>

namespace lockstep::ui {

namespace {

constexpr double kRoom = 0.05; // of the values' range, above and below
constexpr double kGhostOpacity = 0.4;
constexpr double kRoomForMissing = 0.15;
constexpr int kCursorMark = 5;
constexpr int kShortDevice = 8;

YRange paddedRange(YRange y, YScale scale)
{
    y.scale = scale;
    if (scale == YScale::Log) {
        y.to = y.to > 0 ? y.to * 1.2 : 1;
        y.from = y.from > 0 ? y.from / 1.2 : y.to / 1e6;
        return y;
    }
    const double room = y.to > y.from ? (y.to - y.from) * kRoom : std::max(std::abs(y.to) * kRoom, 0.5e-9);
    y.from -= room;
    y.to += room;
    return y;
}

void paintPieces(QPainter& painter, const std::vector<QPolygonF>& pieces)
{
    for (const QPolygonF& piece : pieces) {
        if (piece.size() > 1)
            painter.drawPolyline(piece);
        else
            painter.drawPoint(piece.front()); // a value between two NaN is a point, not nothing
    }
}

void paintRaw(QPainter& painter, const std::vector<Column>& columns, const PlotFrame& frame)
{
    if (isDense(columns))
        painter.drawLines(curveSpans(columns, frame));
    else
        paintPieces(painter, curvePieces(columns, frame, CurveShape::Range));
}

QPen curvePen(const Tokens& tokens, int number, double opacity = 1)
{
    QPen pen(withOpacity(seriesColour(tokens, number), opacity), 0);
    const QList<qreal> dash = seriesDash(number);
    if (!dash.isEmpty() && opacity >= 1)
        pen.setDashPattern(dash);
    return pen;
}

} // namespace

MetricPlot::MetricPlot(Theme& theme, PlotView& view, const RunData& data, const QString& metric, QWidget* parent)
    : PlotPanel(theme, view, data, metric, parent), m_metric(metric)
{
    connect(&header(), &PlotHeader::legendClicked, this, &MetricPlot::toggleDetail);
}

void MetricPlot::setPinned(const QSet<int>& ranks)
{
    m_pinned = ranks;
    refresh();
}

void MetricPlot::toggleDetail()
{
    m_chosen = true;
    m_detail = m_detail == CurveDetail::Lines ? CurveDetail::Bands : CurveDetail::Lines;
    refresh();
}

void MetricPlot::prepare(const XMap&)
{
    if (!m_chosen)
        m_detail = data().plan().worldSize > kMostRankLines ? CurveDetail::Bands : CurveDetail::Lines;
    m_curves.update(data(), view(), m_metric, canvas().frame().columns(), m_detail);
    YRange y;
    if (m_curves.valueRange(view().range(), y)) {
        y = paddedRange(y, view().yScale());
        if (y.scale == YScale::Linear && !missingRanks().isEmpty())
            y.from -= (y.to - y.from) * kRoomForMissing; // for the words under the curves
    } else if (view().yScale() == YScale::Log)
        y = {0.1, 1, YScale::Log};
    canvas().setYRange(y);
}

QString MetricPlot::nameOf(const RankCurve& curve) const
{
    if (curve.key.rank >= 0)
        return QString::number(curve.key.rank);
    const QString node = data().plan().nodes.value(curve.key.nodeIndex).name;
    const QString device = curve.key.device.section(QLatin1Char(':'), -1).left(kShortDevice); // of a uuid the beginning
    return device.isEmpty() ? node : node + QLatin1Char(' ') + device;
}

void MetricPlot::paintContent(QPainter& painter, const PlotFrame& frame)
{
    painter.save();
    painter.setClipRect(frame.area.adjusted(1, 0, 1, -1));
    painter.setPen(QPen(withOpacity(theme().tokens().text3, kGhostOpacity), 0));
    for (const RankCurve& ghost : m_curves.ghosts())
        paintPieces(painter, curvePieces(ghost.rawColumns, frame, CurveShape::Range));
    if (m_detail == CurveDetail::Lines)
        paintLines(painter, frame);
    else
        paintBands(painter, frame);
    painter.restore();
    paintLabels(painter, frame);
}

void MetricPlot::paintLines(QPainter& painter, const PlotFrame& frame) const
{
    const Tokens& tokens = theme().tokens();
    const bool smooth = view().smoothing() > 0;
    if (smooth) {
        for (const RankCurve& curve : m_curves.curves()) {
            const bool pinned = m_pinned.contains(curve.key.rank);
            painter.setPen(curvePen(tokens, curve.number, pinned ? tokens.pinnedRawOpacity : tokens.rawOpacity));
            paintRaw(painter, curve.rawColumns, frame);
        }
    }
    painter.setRenderHint(QPainter::Antialiasing, smooth); // thousands of raw strokes up and down cost too much with it
    for (const RankCurve& curve : m_curves.curves()) {
        painter.setPen(curvePen(tokens, curve.number));
        paintPieces(painter, smooth ? curvePieces(curve.shownColumns, frame, CurveShape::Mean)
                                    : curvePieces(curve.rawColumns, frame, CurveShape::Range));
    }
    if (m_curves.curves().size() > 1) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(tokens.text, 0));
        painter.drawPolyline(bandMean(m_curves.bands(), frame));
    }
}

void MetricPlot::paintBands(QPainter& painter, const PlotFrame& frame) const
{
    const Tokens& tokens = theme().tokens();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(withOpacity(tokens.accent, tokens.outerBandOpacity));
    painter.drawPolygon(bandPolygon(m_curves.bands(), frame, Band::Outer));
    painter.setBrush(withOpacity(tokens.accent, tokens.innerBandOpacity));
    painter.drawPolygon(bandPolygon(m_curves.bands(), frame, Band::Inner));
    painter.setBrush(Qt::NoBrush);
    const RankCurve* worst = m_curves.worst();
    for (const RankCurve& curve : m_curves.curves()) {
        if (&curve != worst && !m_pinned.contains(curve.key.rank))
            continue;
        std::vector<Column> columns(static_cast<std::size_t>(frame.columns()));
        const QColor colour = &curve == worst ? tokens.series[1] : seriesColour(tokens, curve.number);
        if (view().smoothing() > 0) {
            curve.raw->decimate(frame.x.from, frame.x.to, columns);
            hideAfter(columns, frame.x, view().limit());
            painter.setRenderHint(QPainter::Antialiasing, false);
            painter.setPen(QPen(withOpacity(colour, tokens.pinnedRawOpacity), 0));
            paintRaw(painter, columns, frame);
            painter.setRenderHint(QPainter::Antialiasing);
        }
        std::fill(columns.begin(), columns.end(), Column{});
        curve.shown->decimate(frame.x.from, frame.x.to, columns);
        hideAfter(columns, frame.x, view().limit());
        painter.setPen(QPen(colour, 0));
        paintPieces(painter, curvePieces(columns, frame, CurveShape::Mean));
    }
    painter.setPen(QPen(tokens.text, 0));
    painter.drawPolyline(bandMean(m_curves.bands(), frame));
}

void MetricPlot::paintLabels(QPainter& painter, const PlotFrame& frame) const
{
    const Tokens& tokens = theme().tokens();
    QList<EndLabel> labels;
    const RankCurve* worst = m_curves.worst();
    const auto yOf = [&](double value) { return std::isfinite(value) ? frame.py(value) : NAN; };
    const bool over = isOver(data().state().phase); // its curves end before the edge, the legend names them
    for (const RankCurve& curve : m_curves.curves()) {
        const bool isWorst = &curve == worst;
        const bool pinned = m_pinned.contains(curve.key.rank);
        const double y = yOf(valueAt(*curve.shown, lastX()));
        if (!std::isfinite(y) || m_curves.curves().size() < 2 || (over && m_detail == CurveDetail::Lines) ||
            (m_detail == CurveDetail::Bands && !isWorst && !pinned))
            continue;
        const bool bands = m_detail == CurveDetail::Bands;
        EndLabel label{
            .y = y, .text = nameOf(curve), .colour = seriesColour(tokens, curve.number), .words = tokens.text2};
        if (bands && curve.key.rank >= 0)
            label.text.prepend(QStringLiteral("rank "));
        if (isWorst) {
            label.words = tokens.text;
            label.weight = 2;
            label.colour = bands ? tokens.series[1] : label.colour;
            if (!bands && m_metric == QLatin1String("loss"))
                label.text += QStringLiteral(" worst");
        }
        label.weight += pinned ? 1 : 0;
        labels << label;
    }
    if (m_detail == CurveDetail::Bands && !m_curves.bands().empty()) {
        const auto last = std::find_if(m_curves.bands().rbegin(), m_curves.bands().rend(),
                                       [](const BandColumn& band) { return band.ranks > 0; });
        if (last != m_curves.bands().rend())
            labels << EndLabel{yOf(static_cast<double>(last->mean)), QStringLiteral("mean"), tokens.text, tokens.text,
                               3};
    }
    paintEndLabels(painter, theme(), frame, labels);

    const QList<int> missing = missingRanks();
    double since = std::numeric_limits<double>::infinity();
    for (const RankCurve& curve : m_curves.curves())
        if (missing.contains(curve.key.rank))
            since = std::min(since, curve.raw->lastX());
    if (!missing.isEmpty() && since < frame.x.to)
        paintMissing(painter, theme(), frame, since,
                     QStringLiteral("ranks ") + figures::rankList(missing) + QStringLiteral(" missing"));
    paintNonFinite(painter, theme(), frame, m_curves.curves());
}

QList<int> MetricPlot::missingRanks() const
{
    QList<int> missing;
    for (const RankCurve& curve : m_curves.curves()) {
        const LinkPhase link = data().state().nodes.value(curve.key.nodeIndex).link;
        if (curve.key.rank >= 0 && link == LinkPhase::Reconnecting && !isOver(data().state().phase))
            missing << curve.key.rank;
    }
    return missing;
}

void MetricPlot::paintOverlay(QPainter& painter, const PlotFrame& frame)
{
    if (!view().cursor() || !frame.x.contains(*view().cursor()))
        return;
    const RankCurve* worst = m_curves.worst();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(theme().tokens().surface);
    const double x = frame.px(*view().cursor());
    const auto mark = [&](double value, const QColor& colour) {
        const double y = frame.py(value);
        if (!std::isfinite(y) || !frame.area.contains(x, y))
            return;
        painter.setPen(QPen(colour, 1));
        painter.drawEllipse(QPointF(x, y), kCursorMark / 2.0, kCursorMark / 2.0);
    };
    mark(m_curves.mean(), theme().tokens().text);
    if (worst)
        mark(worst->value, m_detail == CurveDetail::Bands ? theme().tokens().series[1]
                                                          : seriesColour(theme().tokens(), worst->number));
    painter.setRenderHint(QPainter::Antialiasing, false);
}

} // namespace lockstep::ui
