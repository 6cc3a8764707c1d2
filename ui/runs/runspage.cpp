// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/runspage.h"

#include "ui/plots/linesplitter.h"
#include "ui/runs/overlaypanel.h"
#include "ui/runs/runmodel.h"
#include "ui/widgets/button.h"
#include "ui/widgets/combo.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/elidedlabel.h"
#include "ui/widgets/field.h"
#include "ui/widgets/panel.h"

#include <QBoxLayout>
#include <QFileDialog>
#include <QTimer>

namespace lockstep::ui {

namespace {

constexpr int kClockMs = 1000; // live runs grow older
constexpr int kSoonMs = 500;   // a live run changes many times a second; the overlay follows calmly

enum StateChoice { AnyState, Live, Ended, FailedOnes };

bool accepts(const RunSummary& run, int state)
{
    switch (state) {
    case Live:
        return !isOver(run.phase);
    case Ended:
        return run.phase == RunPhase::Finished;
    case FailedOnes:
        return run.phase == RunPhase::Failed || run.phase == RunPhase::Lost;
    default:
        return true;
    }
}

} // namespace

RunsPage::RunsPage(Theme& theme, RunList& runs, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_runs(runs), m_model(new RunModel(runs, this)), m_clock(new QTimer(this)),
      m_soon(new QTimer(this))
{
    auto* column = makeColumn(this);
    column->addWidget(makeHeader());
    column->addWidget(makeLine(LineKind::Border, Qt::Horizontal));
    m_table = new DataTable(theme, *m_model,
                            {{QStringLiteral("resnet50-imagenet #12"), 32, 1, 0},
                             {QStringLiteral("gpu6 link lost, ended alone"), 30, 1, 0},
                             {QStringLiteral("16 × 8"), 8, 0, 0},
                             {QStringLiteral("12:27 today"), 8, 1, 4},
                             {QStringLiteral("12:39:50"), 8, 0, 0},
                             {QStringLiteral("100.00"), 8, 0, 0},
                             {QString(), 88, 0, 5},
                             {QStringLiteral("sweep-lr  baseline"), 36, 1, 6},
                             {QStringLiteral("laptop was closed; nothing missing"), 0, 3, 7}},
                            28);
    m_table->setObjectName(QStringLiteral("runs"));
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_overlay = new OverlayPanel(theme, runs);
    auto* splitter = new LineSplitter(theme, Qt::Vertical);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(m_table);
    splitter->addWidget(m_overlay);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({theme.px(362), theme.px(452)});
    column->addWidget(splitter, 1);

    m_clock->setInterval(kClockMs);
    m_clock->start();
    m_soon->setSingleShot(true);
    m_soon->setInterval(kSoonMs);
    connect(m_clock, &QTimer::timeout, m_model, &RunModel::tick);
    connect(m_soon, &QTimer::timeout, this, [this] {
        m_overlay->refresh();
        showCaption();
        showTags();
    });
    connect(m_table, &DataTable::selectedRowsChanged, this, &RunsPage::showSelected);
    connect(m_table, &DataTable::rowActivated, this, [this](const QModelIndex& index) {
        if (const RunSummary* run = m_model->run(index.row()))
            emit openRunRequested(run->id);
    });
    connect(m_overlay, &OverlayPanel::openRunRequested, this, &RunsPage::openRunRequested);
    connect(m_overlay, &OverlayPanel::launchAgainRequested, this, &RunsPage::launchAgainRequested);
    connect(&m_runs, &RunList::reset, this, [this] {
        showCaption();
        showTags();
        showSelected();
    });
    connect(&m_runs, &RunList::runChanged, this, [this] {
        if (!m_soon->isActive())
            m_soon->start();
    });
    setFocusProxy(m_table);
    showCaption();
    showTags();
    showSelected();
}

QWidget* RunsPage::makeHeader()
{
    auto* header = makeGround(Ground::Surface);
    header->setFixedHeight(m_theme.px(55));
    auto* row = makeRow(header);
    row->setContentsMargins(m_theme.px(16), 0, m_theme.px(16), 0);
    row->setSpacing(m_theme.px(12));
    m_caption = new ElidedLabel(m_theme, FontRole::Cell, Tone::Text2);
    m_filter = new Field(m_theme, QStringLiteral("Filter"), Icon::Search, QStringLiteral("/"));
    m_filter->setFixedWidth(m_theme.px(240));
    m_state = new Combo(m_theme);
    m_state->addItems(
        {QStringLiteral("Any state"), QStringLiteral("Live"), QStringLiteral("Finished"), QStringLiteral("Failed")});
    m_tag = new Combo(m_theme);
    m_tag->addItem(QStringLiteral("Any tag"));
    auto* exporting = new Button(m_theme, QStringLiteral("Export"), ButtonKind::Outlined, Icon::Export);
    row->addWidget(makeLabel(m_theme, FontRole::PageTitle, Tone::Text, QStringLiteral("Runs")));
    row->addWidget(m_caption, 1);
    row->addWidget(m_filter);
    row->addWidget(m_state);
    row->addWidget(m_tag);
    row->addWidget(exporting);
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& text) { m_table->setFilter(text); });
    connect(m_state, &QComboBox::currentIndexChanged, this, &RunsPage::applyFilters);
    connect(m_tag, &QComboBox::currentIndexChanged, this, &RunsPage::applyFilters);
    connect(exporting, &QPushButton::clicked, this, &RunsPage::exportSelected);
    return header;
}

void RunsPage::setRunSpec(const QString& id, const RunSpec& spec)
{
    m_overlay->setRunSpec(id, spec);
}

void RunsPage::focusFilter()
{
    m_filter->setFocus(Qt::ShortcutFocusReason);
    m_filter->selectAll();
}

int RunsPage::selectedCount() const
{
    return static_cast<int>(selectedIds().size());
}

QStringList RunsPage::selectedIds() const
{
    QStringList ids;
    for (const int row : m_table->selectedSourceRows())
        if (const RunSummary* run = m_model->run(row))
            ids.append(run->id);
    return ids;
}

void RunsPage::showSelected()
{
    const QStringList ids = selectedIds();
    QHash<QString, int> series;
    for (qsizetype i = 0; i < ids.size(); ++i) {
        series.insert(ids[i], static_cast<int>(i));
        emit runSpecWanted(ids[i]);
    }
    m_model->setSeries(series);
    m_overlay->setSelected(ids);
    emit selectionChanged();
}

void RunsPage::showCaption()
{
    const auto count = m_runs.runs().size();
    m_caption->setText(count == 0   ? QStringLiteral("no run yet")
                       : count == 1 ? QStringLiteral("1 run")
                                    : QStringLiteral("%1 runs, newest first").arg(count));
}

void RunsPage::showTags()
{
    QStringList tags;
    for (const RunSummary& run : m_runs.runs())
        for (const QString& tag : run.tags)
            if (!tags.contains(tag))
                tags.append(tag);
    tags.sort();
    tags.prepend(QStringLiteral("Any tag"));
    QStringList before;
    for (int i = 0; i < m_tag->count(); ++i)
        before.append(m_tag->itemText(i));
    if (tags == before)
        return;
    const QString chosen = m_tag->currentText();
    const QSignalBlocker quiet(m_tag);
    m_tag->clear();
    m_tag->addItems(tags);
    m_tag->setCurrentIndex(std::max(m_tag->findText(chosen), 0));
    m_tag->updateGeometry();
}

void RunsPage::applyFilters()
{
    const int state = m_state->currentIndex();
    const QString tag = m_tag->currentIndex() > 0 ? m_tag->currentText() : QString();
    m_table->setRowFilter([this, state, tag](const QModelIndex& index) {
        const RunSummary* run = m_model->run(index.row());
        return run && accepts(*run, state) && (tag.isEmpty() || run->tags.contains(tag));
    });
}

void RunsPage::exportSelected()
{
    const QStringList ids = selectedIds();
    if (ids.isEmpty()) {
        m_caption->setText(QStringLiteral("Select the run to export in the table below."));
        return;
    }
    auto* dialog = new QFileDialog(this, QStringLiteral("Export the run's records"), {},
                                   QStringLiteral("Table (*.csv);;Plots (*.png)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("csv"));
    connect(dialog, &QFileDialog::fileSelected, this, [this, id = ids.first()](const QString& path) {
        emit exportRequested(id, path.endsWith(QLatin1String(".png")) ? QStringLiteral("png") : QStringLiteral("csv"),
                             path);
    });
    dialog->open();
}

} // namespace lockstep::ui
