// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/resultspanel.h"

#include "ui/plots/figures.h"
#include "ui/run/resultsmodel.h"
#include "ui/widgets/button.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/elidedlabel.h"
#include "ui/widgets/panel.h"

#include <QBoxLayout>
#include <QFileInfo>

#include <algorithm>
#include <chrono>

namespace lockstep::ui {

namespace {

constexpr int kHeader = 36, kRow = 24, kIcon = 22;
constexpr std::chrono::seconds kNewsEvery{1}; // a folder of the store is read; a person sees the bytes grow

} // namespace

ResultsPanel::ResultsPanel(Theme& theme, const RunData& run, QWidget* parent)
    : QWidget(parent), m_run(run), m_model(new ResultsModel(this)),
      m_header(new PanelHeader(theme, QStringLiteral("files"), kHeader)),
      m_open(new Button(theme, QStringLiteral("Open folder"), ButtonKind::Outlined, {}, ButtonSize::Small)),
      m_fetch(new Button(theme, QStringLiteral("Fetch again"), ButtonKind::Outlined, Icon::Refresh, ButtonSize::Small)),
      m_missing(new ElidedLabel(theme, FontRole::Cell, Tone::Warn))
{
    m_open->setObjectName(QStringLiteral("openResults"));
    m_fetch->setObjectName(QStringLiteral("fetchResults"));
    m_header->row().addWidget(m_open);
    m_header->row().addWidget(m_fetch);
    m_table = new DataTable(theme, *m_model,
                            {{.sample = QStringLiteral("gpu88")},
                             {.sample = QStringLiteral("out/step-4000.pt"), .stretch = 1},
                             {.sample = QStringLiteral("888 MB"), .dropOrder = 1},
                             {.sample = QStringLiteral("fetching, 88 %"), .extraAt100 = kIcon}},
                            kRow);
    m_table->setObjectName(QStringLiteral("results"));
    m_missing->setContentsMargins(theme.px(16), theme.px(4), theme.px(16), theme.px(4));
    m_missing->hide();
    auto* column = makeColumn(this);
    column->addWidget(m_header);
    column->addWidget(m_missing);
    column->addWidget(m_table, 1);
    m_news.setInterval(kNewsEvery);
    connect(&m_news, &QTimer::timeout, this, [this] {
        if (m_results.fetching || !isOver(m_run.state().phase))
            emit wanted();
    });
    connect(m_fetch, &QPushButton::clicked, this, &ResultsPanel::fetchRequested);
    connect(m_open, &QPushButton::clicked, this, [this] { emit openFolderRequested(m_results.folder); });
    connect(m_table, &DataTable::rowActivated, this, [this](const QModelIndex& index) {
        emit openFolderRequested(QFileInfo(m_model->files().at(index.row()).file).path());
    });
    showCounts();
}

void ResultsPanel::setResults(const RunResults& results)
{
    m_results = results;
    m_results.fetching = results.fetching || !isOver(m_run.state().phase);
    m_model->setResults(m_results);
    m_missing->setText(results.missing);
    m_missing->setVisible(!results.missing.isEmpty());
    showCounts();
}

void ResultsPanel::showCounts()
{
    const auto here = std::ranges::count_if(m_results.files, &ResultEntry::isWhole);
    qint64 bytes = 0;
    for (const ResultEntry& entry : std::as_const(m_results.files))
        bytes += entry.bytes;
    m_header->setCaption(
        m_results.files.isEmpty()
            ? QStringLiteral("none yet of %1").arg(m_run.spec().results.join(QStringLiteral(", ")))
            : QStringLiteral("%1 of %2 here, %3").arg(here).arg(m_results.files.size()).arg(figures::bytes(bytes)));
    m_open->setDisabled(m_results.files.isEmpty());
    m_fetch->setDisabled(m_results.fetching);
    m_fetch->setToolTip(!m_results.fetching ? QStringLiteral("What is missing here, from every node that answers")
                        : isOver(m_run.state().phase)
                            ? QStringLiteral("It is being fetched")
                            : QStringLiteral("Files come by themselves while the run goes on"));
}

void ResultsPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    emit wanted();
    m_news.start();
}

void ResultsPanel::hideEvent(QHideEvent* event)
{
    m_news.stop();
    QWidget::hideEvent(event);
}

} // namespace lockstep::ui
