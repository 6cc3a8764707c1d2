// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/rankpanel.h"

#include "ui/run/notice.h"
#include "ui/run/runnotices.h"
#include "ui/widgets/button.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/field.h"
#include "ui/widgets/panel.h"

#include <QDateTime>
#include <QVBoxLayout>

namespace lockstep::ui {

namespace {

constexpr int kHeader = 36, kControl = 24, kFilterWidth = 120, kRow = 24;
constexpr int kIcon = 22;

std::vector<ColumnWidth> widths(RankColumns columns)
{
    const auto text = [](const char* sample) { return QString::fromUtf8(sample); };
    if (columns == RankColumns::Ended)
        return {{.sample = text("888"), .extraAt100 = 14},
                {.sample = text("gpu88:8")},
                {.sample = text("victim: peer"), .extraAt100 = kIcon, .stretch = 1},
                {.sample = text("88:88:88.888"), .dropOrder = 2},
                {.sample = text("88,888")},
                {.sample = text("88.8 GiB"), .dropOrder = 3}};
    return {{.sample = text("88"), .extraAt100 = 14},
            {.sample = text("gpu8:8")},
            {.sample = text("slow, +8 ms"), .extraAt100 = kIcon, .stretch = 1},
            {.sample = text("8,888")},
            {.sample = text("8.88")},
            {.sample = text("8,888"), .dropOrder = 3},
            {.sample = text("88 %"), .dropOrder = 2},
            {.sample = text("100 %"), .dropOrder = 1},
            {.sample = text("88 GiB"), .dropOrder = 1}};
}

} // namespace

RankPanel::RankPanel(Theme& theme, const RunData& run, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_run(run), m_header(new PanelHeader(theme, QStringLiteral("ranks"), kHeader)),
      m_filter(new Field(theme, QStringLiteral("Filter"), Icon::Search, QStringLiteral("/"))),
      m_link(new Notice(theme)), m_slow(new Notice(theme)), m_column(makeColumn(this))
{
    m_filter->setFixedHeight(theme.px(kControl));
    m_filter->setFixedWidth(theme.px(kFilterWidth));
    m_filter->setFont(theme.font(FontRole::Cell));
    auto* facts = new Button(theme, QStringLiteral("Facts"), ButtonKind::Outlined, {}, ButtonSize::Small);
    facts->setCheckable(true);
    facts->setObjectName(QStringLiteral("showFacts"));
    facts->setToolTip(QStringLiteral("What the ranks said of model, configuration, buckets and device"));
    m_files = new Button(theme, QStringLiteral("Files"), ButtonKind::Outlined, {}, ButtonSize::Small);
    m_files->setCheckable(true);
    m_files->setObjectName(QStringLiteral("showFiles"));
    m_files->setToolTip(QStringLiteral("Checkpoints and other files that are fetched from the nodes"));
    m_header->row().addWidget(facts);
    m_header->row().addWidget(m_files);
    m_header->row().addWidget(m_filter);
    connect(facts, &QPushButton::toggled, this, &RankPanel::factsToggled);
    connect(m_files, &QPushButton::toggled, this, &RankPanel::filesToggled);
    m_column->addWidget(m_header);
    m_column->addWidget(m_link);
    m_column->addWidget(m_slow);
    makeTable(isOver(run.state().phase) ? RankColumns::Ended : RankColumns::Live);
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& text) { m_table->setFilter(text); });
    refresh();
}

void RankPanel::makeTable(RankColumns columns)
{
    delete m_table;
    delete m_model;
    m_columns = columns;
    m_model = new RankModel(m_run, columns, this);
    m_table = new DataTable(m_theme, *m_model, widths(columns), kRow);
    m_table->setFilter(m_filter->text());
    m_column->insertWidget(m_column->indexOf(m_slow), m_table, 1); // the notice of a slow rank stands under its row
    connect(m_table, &DataTable::rowActivated, this,
            [this](const QModelIndex& index) { emit rankChosen(m_model->rows()[index.row()].rank); });
}

void RankPanel::refresh()
{
    const RankColumns columns = isOver(m_run.state().phase) ? RankColumns::Ended : RankColumns::Live;
    if (columns != m_columns)
        makeTable(columns);
    const qint64 now = QDateTime::currentMSecsSinceEpoch() * 1000;
    m_model->refresh(now);
    m_files->setHidden(m_run.spec().results.isEmpty());
    m_header->setCaption(rankSummary(m_run, m_model->rows()));
    if (const auto text = lockstep::ui::linkNotice(m_run, now))
        m_link->say(*text);
    else
        m_link->beSilent();
    if (const auto text = lockstep::ui::slowNotice(m_run, m_model->rows()))
        m_slow->say(*text);
    else
        m_slow->beSilent();
}

void RankPanel::filter()
{
    m_filter->setFocus(Qt::ShortcutFocusReason);
    m_filter->selectAll();
}

void RankPanel::selectRank(int rank)
{
    if (const int row = m_model->rowOf(rank); row >= 0)
        m_table->selectSourceRow(row);
}

void RankPanel::togglePinned()
{
    for (const int row : m_table->selectedSourceRows()) {
        const int rank = m_model->rows()[row].rank;
        if (!m_pinned.remove(rank))
            m_pinned.insert(rank);
    }
    m_model->setPinned(m_pinned);
    emit pinnedChanged(m_pinned);
}

} // namespace lockstep::ui
