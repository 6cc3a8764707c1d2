// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/overlaypanel.h"

#include "ui/plots/figures.h"
#include "ui/runs/comparison.h"
#include "ui/runs/overlayplot.h"
#include "ui/widgets/button.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/elidedlabel.h"
#include "ui/widgets/panel.h"

#include <QBoxLayout>

#include <algorithm>
#include <memory>

namespace lockstep::ui {

namespace {

constexpr qsizetype kMostButtons = 2;

} // namespace

OverlayPanel::OverlayPanel(Theme& theme, const RunList& runs, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_runs(runs), m_comparison(new Comparison(this))
{
    auto* row = makeRow(this);
    row->setSpacing(0);
    row->addWidget(makePlotSide(), 848);
    row->addWidget(makeLine(LineKind::Border, Qt::Vertical));
    row->addWidget(makeDifferences(), 424);
    setSelected({});
}

QWidget* OverlayPanel::makePlotSide()
{
    auto* side = makeGround(Ground::Surface);
    auto* column = makeColumn(side);
    auto* toolbar = makeGround(Ground::Window);
    toolbar->setFixedHeight(m_theme.px(35));
    auto* row = makeRow(toolbar);
    row->setContentsMargins(m_theme.px(16), 0, m_theme.px(16), 0);
    m_title = makeLabel(m_theme, FontRole::PanelTitle, Tone::Text);
    m_log = new Button(m_theme, QStringLiteral("Log y"), ButtonKind::Outlined, {}, ButtonSize::Small);
    m_log->setCheckable(true);
    row->addWidget(m_title);
    row->addSpacing(m_theme.px(8));
    row->addWidget(m_log);
    row->addStretch(1);
    column->addWidget(toolbar);
    column->addWidget(makeLine(LineKind::Border, Qt::Horizontal));
    auto* legend = makeRow(nullptr);
    legend->setContentsMargins(m_theme.px(16), m_theme.px(6), m_theme.px(16), m_theme.px(6));
    m_legendTitle = makeLabel(m_theme, FontRole::PanelTitle, Tone::Text, QStringLiteral("loss"));
    m_legend = new ElidedLabel(m_theme, FontRole::Cell, Tone::Text2);
    m_points = makeLabel(m_theme, FontRole::Caption, Tone::Text3);
    legend->addWidget(m_legendTitle);
    legend->addWidget(m_legend, 1);
    legend->addWidget(m_points);
    column->addLayout(legend);
    m_plot = new OverlayPlot(m_theme);
    column->addWidget(m_plot, 1);
    connect(m_log, &QPushButton::toggled, this,
            [this](bool on) { m_plot->setScale(on ? OverlayScale::Log : OverlayScale::Linear); });
    return side;
}

QWidget* OverlayPanel::makeDifferences()
{
    auto* side = makeGround(Ground::Surface);
    auto* column = makeColumn(side);
    m_differs = new PanelHeader(m_theme, QStringLiteral("What differs"), 36);
    setGround(*m_differs, Ground::Window);
    m_all = new Button(m_theme, QStringLiteral("Show all"), ButtonKind::Outlined, {}, ButtonSize::Small);
    m_all->setCheckable(true);
    m_differs->row().addWidget(m_all);
    column->addWidget(m_differs);
    m_table = new DataTable(m_theme, *m_comparison, {}, 24);
    m_table->setSelectionMode(QAbstractItemView::NoSelection);
    m_table->setSortingEnabled(false);
    column->addWidget(m_table, 1);
    m_buttons = makeRow(nullptr);
    m_buttons->setContentsMargins(m_theme.px(16), m_theme.px(12), m_theme.px(16), m_theme.px(12));
    m_buttons->addStretch(1);
    column->addLayout(m_buttons);
    connect(m_all, &QPushButton::toggled, this, &OverlayPanel::refresh);
    return side;
}

void OverlayPanel::setSelected(const QStringList& ids)
{
    m_selected = ids;
    refresh();
}

void OverlayPanel::setRunSpec(const QString& id, const RunSpec& spec)
{
    m_specs.insert(id, spec);
    if (m_selected.contains(id))
        refresh();
}

void OverlayPanel::refresh()
{
    QList<RunSummary> runs;
    for (const QString& id : m_selected) {
        if (const RunSummary* run = m_runs.find(id))
            runs.append(*run);
        if (const RunData* open = m_runs.data(id); open && !open->spec().trainer.isEmpty())
            m_specs.insert(id, open->spec());
    }
    const bool steps = !runs.isEmpty() && std::ranges::all_of(runs, [this](const RunSummary& run) {
        const RunData* open = m_runs.data(run.id);
        return open && open->step() > 0;
    });
    std::vector<OverlayCurve> curves;
    for (qsizetype i = 0; i < std::min<qsizetype>(runs.size(), kMaxNamedCurves); ++i)
        curves.push_back(steps ? curveOfData(runs[i], *m_runs.data(runs[i].id), static_cast<int>(i))
                               : curveOfSparkline(runs[i], static_cast<int>(i)));
    m_title->setText(runs.isEmpty()     ? QStringLiteral("No run selected")
                     : runs.size() == 1 ? QStringLiteral("1 run selected")
                                        : QStringLiteral("%1 runs selected").arg(runs.size()));
    std::size_t points = 0;
    for (const OverlayCurve& curve : curves)
        points += curve.y.size();
    m_points->setText(runs.isEmpty() ? QString()
                                     : QStringLiteral("%1 points").arg(figures::grouped(static_cast<qint64>(points))));
    m_legend->setText(runs.isEmpty() ? QString()
                      : steps        ? QStringLiteral("mean over ranks")
                                     : QStringLiteral("mean over ranks, thinned; open the runs for every step"));
    m_plot->setCurves(curves, steps ? OverlayAxis::Step : OverlayAxis::Share);
    showDifferences(runs);
    showButtons(runs);
}

void OverlayPanel::showDifferences(const QList<RunSummary>& runs)
{
    m_comparison->setRuns(runs, m_specs, m_all->isChecked() ? Comparison::Show::All : Comparison::Show::Differing);
    std::vector<ColumnWidth> columns{{QStringLiteral("last loss, mean"), 8, 1, 0}};
    for (int i = 1; i < m_comparison->columnCount(); ++i)
        columns.push_back({QStringLiteral("2.09 at step"), 0, 1, 0});
    m_table->setColumns(columns);
    m_differs->setTitle(runs.size() > 1 ? QStringLiteral("What differs") : QStringLiteral("Settings and results"));
    m_differs->setCaption(
        runs.isEmpty() ? QString()
        : m_comparison->settings() == 0
            ? QStringLiteral("settings are being read")
            : QStringLiteral("%1 of %2 settings").arg(m_comparison->differing()).arg(m_comparison->settings()));
    m_all->setEnabled(m_comparison->settings() > 0);
}

void OverlayPanel::showButtons(const QList<RunSummary>& runs)
{
    while (m_buttons->count() > 1)
        delete std::unique_ptr<QLayoutItem>(m_buttons->takeAt(0))->widget();
    int at = 0;
    for (const RunSummary& run : runs.first(std::min(runs.size(), kMostButtons))) {
        auto* open = new Button(m_theme, QStringLiteral("Open #%1").arg(run.number), ButtonKind::Outlined, {},
                                ButtonSize::Small);
        connect(open, &QPushButton::clicked, this, [this, id = run.id] { emit openRunRequested(id); });
        m_buttons->insertWidget(at++, open);
    }
    if (runs.isEmpty() || !m_specs.contains(runs.first().id))
        return;
    auto* again = new Button(m_theme, QStringLiteral("Launch #%1 again…").arg(runs.first().number),
                             ButtonKind::Outlined, {}, ButtonSize::Small);
    connect(again, &QPushButton::clicked, this,
            [this, spec = m_specs.value(runs.first().id)] { emit launchAgainRequested(spec); });
    m_buttons->insertWidget(at, again);
}

} // namespace lockstep::ui
