// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/plotcolumn.h"

#include "ui/plots/devicecells.h"
#include "ui/plots/laneplot.h"
#include "ui/plots/linesplitter.h"
#include "ui/plots/metricplot.h"
#include "ui/plots/stepplot.h"
#include "ui/theme.h"

#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::ui {

namespace {

constexpr int kLaneHeight = 172, kStepHeight = 168, kAddedHeight = 140;
constexpr int kRowsHeight = 184, kStepBesideRows = 128, kLanePitch = 19, kLaneFrame = 46;
constexpr int kLossBesideCause = 208, kLanesBesideCause = 164;
constexpr int kLeastLoss = 160, kLeastPlot = 96, kLeastCells = 84;
constexpr double kRoomAfterEnd = 0.05; // of an ended run
constexpr double kStartsAtZero = 0.1;  // x begins at 0 when the first point is this near to it

double samplesPerStep(const RunData& run)
{
    const QString batch =
        run.info(0).value(QStringLiteral("batch"), QString::fromUtf8(run.spec().option(QStringLiteral("batch"))));
    return batch.toDouble() * run.plan().worldSize;
}

} // namespace

PlotColumn::PlotColumn(Theme& theme, PlotView& view, const RunData& run, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_view(view), m_run(run),
      m_splitter(new LineSplitter(theme, Qt::Vertical, this)),
      m_loss(new MetricPlot(theme, view, run, QStringLiteral("loss"))), m_lanes(new LanePlot(theme, view, run)),
      m_steps(new StepPlot(theme, view, run)), m_cells(new DeviceCells(theme, run))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_splitter);
    m_loss->setMinimumHeight(theme.px(kLeastLoss));
    m_loss->setFlagShown(Qt::Checked);
    m_cells->setMinimumHeight(theme.px(kLeastCells));
    for (PlotPanel* panel : {static_cast<PlotPanel*>(m_lanes), static_cast<PlotPanel*>(m_steps)})
        panel->setMinimumHeight(theme.px(kLeastPlot));
    m_splitter->addWidget(m_loss);
    m_splitter->addWidget(m_lanes);
    m_splitter->addWidget(m_steps);
    m_splitter->addWidget(m_cells);
    m_cells->refresh();
    m_splitter->setStretchFactor(0, 1);
    placeTimeLabels();
    connect(m_splitter, &QSplitter::splitterMoved, this, [this] { m_dragged = true; });

    connect(&run, &RunData::changed, this, &PlotColumn::requestFrame);
    connect(&run, &RunData::stateChanged, this, &PlotColumn::requestFrame);
    connect(&view, &PlotView::changed, this, &PlotColumn::requestFrame);
    connect(&view, &PlotView::cursorMoved, this, [this] {
        m_cursorMoved = true;
        requestFrame();
    });
    connect(&m_pacer, &FramePacer::frame, this, &PlotColumn::paintFrame);
    connect(&theme, &Theme::changed, this, [this] {
        m_seenView = 0; // everything has other colours
        requestFrame();
    });
    connect(m_cells, &DeviceCells::deviceClicked, this, &PlotColumn::deviceClicked);
    connect(m_lanes, &LanePlot::deviceClicked, this, [this](int nodeIndex, const QString& device) {
        for (const ListedDevice& listed : devicesOf(m_run))
            if (listed.nodeIndex == nodeIndex && listed.id == device && listed.rank >= 0)
                emit deviceClicked(listed.rank);
    });
}

QList<PlotPanel*> PlotColumn::panels() const
{
    QList<PlotPanel*> panels{m_loss, m_lanes, m_steps};
    for (MetricPlot* plot : m_added)
        panels << plot;
    return panels;
}

void PlotColumn::addPlot(const QString& metric)
{
    const auto known =
        std::find_if(m_added.begin(), m_added.end(), [&](MetricPlot* plot) { return plot->metricName() == metric; });
    if (known != m_added.end()) {
        (*known)->deleteLater();
        (*known)->hide();
        m_added.erase(known);
    } else {
        auto* plot = new MetricPlot(m_theme, m_view, m_run, metric);
        plot->setMinimumHeight(m_theme.px(kLeastPlot));
        plot->resize(width(), m_theme.px(kAddedHeight));
        m_splitter->insertWidget(m_splitter->indexOf(m_cells), plot);
        m_added << plot;
        plot->show();
    }
    placeTimeLabels();
    placePanels();
    m_seenView = 0;
    requestFrame();
}

bool PlotColumn::hasPlot(const QString& metric) const
{
    return std::any_of(m_added.begin(), m_added.end(), [&](MetricPlot* plot) { return plot->metricName() == metric; });
}

void PlotColumn::setPinned(const QSet<int>& ranks)
{
    m_loss->setPinned(ranks);
    for (MetricPlot* plot : m_added)
        plot->setPinned(ranks);
}

void PlotColumn::setRoomFor(Beside beside)
{
    if (beside == m_beside)
        return;
    m_beside = beside;
    const bool cause = beside == Beside::Cause;
    m_loss->setMinimumHeight(m_theme.px(cause ? kLossBesideCause : kLeastLoss));
    m_lanes->setMinimumHeight(m_theme.px(cause ? kLanesBesideCause : kLeastPlot));
    m_steps->setMinimumHeight(m_theme.px(cause ? kStepHeight : kLeastPlot));
    placeTimeLabels();
}

void PlotColumn::placeTimeLabels()
{
    const QList<PlotPanel*> all = panels();
    for (PlotPanel* panel : all)
        panel->canvas().setTimeLabels(panel == all.back() || (panel == m_lanes && m_beside == Beside::Cause)
                                          ? PlotCanvas::TimeLabels::Shown
                                          : PlotCanvas::TimeLabels::Hidden);
}

// Until the user drags a border: what each panel needs, the rest to the loss.
void PlotColumn::placePanels()
{
    if (m_dragged || !isVisible() || m_beside == Beside::Cause)
        return;
    const std::size_t devices = devicesOf(m_run).size();
    const bool many = devices > kMostLanes;
    const auto lanes = static_cast<int>(std::clamp<std::size_t>(devices, 1, kMostLanes));
    const int laneHeight = many ? kRowsHeight : std::clamp(kLaneFrame + lanes * kLanePitch, kLeastPlot, kLaneHeight);
    const int cells = m_cells->heightForWidth(width());
    int rest = height() - m_theme.px(laneHeight) - m_theme.px(many ? kStepBesideRows : kStepHeight) - cells;
    for (int i = 0; i < m_added.size(); ++i)
        rest -= m_theme.px(kAddedHeight);
    QList<int> sizes{rest, m_theme.px(laneHeight), m_theme.px(many ? kStepBesideRows : kStepHeight)};
    for (int i = 0; i < m_added.size(); ++i)
        sizes << m_theme.px(kAddedHeight);
    m_splitter->setSizes(sizes << cells);
}

void PlotColumn::resizeEvent(QResizeEvent*)
{
    placePanels();
}

void PlotColumn::showEvent(QShowEvent*)
{
    placePanels();
    requestFrame();
}

void PlotColumn::requestFrame()
{
    if (isVisible())
        m_pacer.request();
}

XRange PlotColumn::extent() const
{
    XRange range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    const bool steps = m_view.family() == XFamily::Steps;
    for (const auto& [key, pair] : m_run.allSeries()) {
        const Series& series = steps ? pair.first : pair.second;
        if (series.size() == 0 || (steps && key.rank < 0))
            continue;
        if (std::isfinite(series.xs().front()))
            range.from = std::min(range.from, series.xs().front());
        if (std::isfinite(series.lastX()))
            range.to = std::max(range.to, series.lastX());
    }
    if (!(range.to > range.from))
        return {std::isfinite(range.from) ? range.from : 0, (std::isfinite(range.from) ? range.from : 0) + 1};
    if (range.from > 0 && range.from < range.size() * kStartsAtZero)
        range.from = 0;
    if (isOver(m_run.state().phase))
        range.to += range.size() * kRoomAfterEnd;
    return range;
}

void PlotColumn::paintFrame()
{
    m_view.setExtent(extent()); // a following view moves, and asks for the frame that is being painted
    const bool all = m_run.generation() != m_seenData || m_view.generation() != m_seenView;
    if (!all && !m_cursorMoved)
        return;
    ++m_frames;
    QElapsedTimer cost;
    cost.start();
    m_cursorMoved = false;
    if (!all) {
        for (PlotPanel* panel : panels())
            panel->refreshCursor();
        return;
    }
    m_seenData = m_run.generation();
    m_seenView = m_view.generation();
    const XLabels labels{.axis = m_view.axis(),
                         .stepsPerEpoch = static_cast<double>(m_run.stepsPerEpoch()),
                         .samplesPerStep = samplesPerStep(m_run),
                         .startWallUs = m_run.state().startedWallUs};
    for (PlotPanel* panel : panels()) {
        panel->canvas().setXLabels(labels);
        panel->refresh();
    }
    m_cells->refresh();
    m_pacer.frameTook(std::chrono::milliseconds(cost.elapsed()));
    if (m_cells->deviceCount() != m_devices) {
        m_devices = m_cells->deviceCount();
        placePanels();
    }
}

void PlotColumn::paintNow()
{
    m_seenView = 0;
    paintFrame();
}

} // namespace lockstep::ui
