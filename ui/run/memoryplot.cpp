// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/memoryplot.h"

#include "ui/plots/curvepath.h"
#include "ui/plots/figures.h"
#include "ui/plots/stepparts.h"
#include "ui/plots/ticks.h"
#include "ui/theme.h"

#include <QPainter>

namespace lockstep::ui {

namespace {

const QString kMetric = QStringLiteral("proc/rss");
constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
constexpr int kTitle = 18, kLeft = 32, kRight = 84, kBottom = 18;
constexpr int kPixelsALabel = 90, kYLabels = 3;

} // namespace

MemoryPlot::MemoryPlot(Theme& theme, const RunData& run, QWidget* parent) : QWidget(parent), m_theme(theme), m_run(run)
{
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void MemoryPlot::setRank(int rank, int nodeIndex)
{
    m_rank = rank;
    m_nodeIndex = nodeIndex;
    update();
}

bool MemoryPlot::hasData() const
{
    const Series* series = rankSeries(m_run, m_rank, kMetric, XAxis::Time);
    return series && series->size() > 1;
}

void MemoryPlot::paintEvent(QPaintEvent*)
{
    if (!hasData())
        return;
    const Tokens& tokens = m_theme.tokens();
    QPainter painter(this);
    painter.setFont(m_theme.font(FontRole::CellStrong));
    painter.setPen(tokens.text);
    const QString node = m_run.plan().nodes.value(m_nodeIndex).name;
    painter.drawText(QRect(0, 0, width(), m_theme.px(kTitle)), Qt::AlignLeft | Qt::AlignVCenter,
                     QStringLiteral("Host memory of the ranks on %1, GiB").arg(node));

    double from = 0, to = 0, most = 0;
    std::vector<std::pair<int, const Series*>> ranks;
    for (const RankState& rank : m_run.state().ranks) {
        const Series* series = rankSeries(m_run, rank.rank, kMetric, XAxis::Time);
        if (rank.nodeIndex != m_nodeIndex || !series || series->size() == 0)
            continue;
        ranks.emplace_back(rank.rank, series);
        to = std::max(to, series->lastX());
        double low = 0, high = 0;
        if (series->range(from, series->lastX(), low, high))
            most = std::max(most, high / kGiB);
    }
    PlotFrame frame;
    frame.area =
        QRectF(rect()).adjusted(m_theme.px(kLeft), m_theme.px(kTitle + 4), -m_theme.px(kRight), -m_theme.px(kBottom));
    frame.x = {from, std::max(to, from + 1)};
    frame.y = {0, std::max(most * 1.1, 0.1), YScale::Linear};
    painter.setFont(m_theme.font(FontRole::Caption));
    for (const Tick& tick : yTicks(frame.y, kYLabels)) {
        const double y = std::round(frame.py(tick.at)) + 0.5;
        painter.setPen(QPen(tokens.grid, 0));
        painter.drawLine(QPointF(frame.area.left(), y), QPointF(frame.area.right(), y));
        painter.setPen(tokens.text3);
        painter.drawText(QRectF(0, y - 8, frame.area.left() - 6, 16), Qt::AlignRight | Qt::AlignVCenter, tick.label);
    }
    for (const Tick& tick :
         xTicks(frame.x, XLabels{}, std::max(2, static_cast<int>(frame.area.width()) / kPixelsALabel))) {
        painter.setPen(tokens.text3);
        painter.drawText(QRectF(frame.px(tick.at) - 40, frame.area.bottom() + 2, 80, 16),
                         Qt::AlignHCenter | Qt::AlignTop, tick.label);
    }
    painter.setPen(QPen(tokens.axis, 0));
    painter.drawLine(frame.area.bottomLeft(), frame.area.bottomRight());
    PlotFrame bytes = frame;
    bytes.y.to *= kGiB;
    painter.setRenderHint(QPainter::Antialiasing);
    std::vector<double> wanted;
    QStringList names;
    QList<int> others;
    const auto draw = [&](int rank, const Series& series, const QColor& colour) {
        std::vector<Column> columns(static_cast<std::size_t>(frame.columns()));
        series.decimate(frame.x.from, frame.x.to * 1.0001, columns);
        painter.setPen(QPen(colour, 0));
        for (const QPolygonF& piece : curvePieces(columns, bytes, CurveShape::Mean))
            painter.drawPolyline(piece);
        if (rank == m_rank) {
            wanted.push_back(bytes.py(series.lastY()));
            names << QStringLiteral("rank %1").arg(rank);
        } else {
            others << rank;
        }
    };
    for (const auto& [rank, series] : ranks)
        if (rank != m_rank)
            draw(rank, *series, tokens.text3);
    if (!others.isEmpty()) {
        wanted.push_back(bytes.py(rankSeries(m_run, others.back(), kMetric, XAxis::Time)->lastY()));
        names << (others.size() == 1 ? QStringLiteral("rank ") : QStringLiteral("ranks ")) + figures::rankList(others);
    }
    for (const auto& [rank, series] : ranks)
        if (rank == m_rank)
            draw(rank, *series, seriesColour(tokens, rank));
    const std::vector<double> places = spreadLabels(wanted, 14, frame.area.top(), frame.area.bottom());
    for (std::size_t i = 0; i < places.size(); ++i) {
        const bool failed = names[static_cast<qsizetype>(i)] == QStringLiteral("rank %1").arg(m_rank);
        painter.setFont(m_theme.font(failed ? FontRole::CellStrong : FontRole::Caption));
        painter.setPen(failed ? tokens.text : tokens.text3);
        painter.drawText(QRectF(frame.area.right() + 6, places[i] - 8, m_theme.px(kRight), 16),
                         Qt::AlignLeft | Qt::AlignVCenter, names[static_cast<qsizetype>(i)]);
    }
}

} // namespace lockstep::ui
