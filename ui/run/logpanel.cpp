// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/logpanel.h"

#include "ui/plots/figures.h"
#include "ui/plots/xmap.h"
#include "ui/run/logdelegate.h"
#include "ui/run/logmodel.h"
#include "ui/widgets/combo.h"
#include "ui/widgets/field.h"
#include "ui/widgets/panel.h"

#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>
#include <QLabel>
#include <QListView>
#include <QScrollBar>
#include <QVBoxLayout>

#include <cmath>

namespace lockstep::ui {

namespace {

constexpr int kHeader = 36, kControl = 24, kTopGap = 8;
constexpr int kFindWidth = 160;
constexpr int kAllRanks = -2; // user data of the combo's first entry; -1 is the nodes'

} // namespace

LogPanel::LogPanel(Theme& theme, PlotView& view, const RunData& run, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_view(view), m_run(run), m_model(new LogModel(run, this)),
      m_delegate(new LogDelegate(theme, run, *m_model, this)), m_list(new QListView(this)), m_ranks(new Combo(theme)),
      m_find(new Field(theme, QStringLiteral("Find"), Icon::Search, QStringLiteral("Ctrl F"))),
      m_count(makeLabel(theme, FontRole::Caption, Tone::Text3))
{
    auto* header = new PanelHeader(theme, QStringLiteral("log"), kHeader);
    m_ranks->setHeight(kControl);
    m_find->setFixedHeight(theme.px(kControl));
    m_find->setFixedWidth(theme.px(kFindWidth));
    m_find->setFont(theme.font(FontRole::Cell));
    header->row().insertWidget(1, m_ranks); // right after the title; the caption behind takes the room
    header->row().insertWidget(2, m_find);
    header->row().addWidget(m_count);
    m_list->setModel(m_model);
    m_list->setItemDelegate(m_delegate);
    m_list->setUniformItemSizes(true); // 200,000 lines: no line is measured
    m_list->setLayoutMode(QListView::SinglePass);
    m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->installEventFilter(this);
    auto* ground = makeGround(Ground::Surface);
    auto* inside = makeColumn(ground);
    inside->setContentsMargins(0, theme.px(kTopGap), 0, theme.px(kTopGap));
    inside->addWidget(m_list);
    auto* column = makeColumn(this);
    column->addWidget(header);
    column->addWidget(ground, 1);
    fillRanks();
    updateCount();

    connect(m_ranks, &QComboBox::currentIndexChanged, this, &LogPanel::applyFilter);
    connect(m_find, &QLineEdit::textChanged, this, &LogPanel::applyFilter);
    connect(m_list->verticalScrollBar(), &QScrollBar::valueChanged, this, [this](int value) {
        if (!m_view.cursor())
            m_following = value >= m_list->verticalScrollBar()->maximum() - m_theme.px(kTopGap);
    });
    connect(m_list->verticalScrollBar(), &QScrollBar::rangeChanged, this, [this] {
        if (m_following && !m_view.cursor() && m_delegate->cursorRow() < 0)
            m_list->scrollToBottom();
    });
    connect(m_list, &QListView::clicked, this,
            [this](const QModelIndex& index) { emit timePicked(m_model->line(index.row()).wallUs); });
    connect(&m_view, &PlotView::cursorMoved, this, &LogPanel::followCursor);
    connect(&m_view, &PlotView::followingChanged, this, [this] {
        m_following = m_view.following();
        refresh();
    });
    connect(&theme, &Theme::changed, m_list->viewport(), qOverload<>(&QWidget::update));
}

void LogPanel::fillRanks()
{
    if (m_ranksListed == m_run.plan().worldSize)
        return;
    const QSignalBlocker quiet(m_ranks);
    m_ranksListed = m_run.plan().worldSize;
    m_ranks->clear();
    m_ranks->addItem(QStringLiteral("All ranks"), kAllRanks);
    m_ranks->addItem(QStringLiteral("Nodes only"), -1);
    for (int rank = 0; rank < m_ranksListed; ++rank)
        m_ranks->addItem(QStringLiteral("Rank %1").arg(rank), rank);
}

void LogPanel::refresh()
{
    fillRanks();
    m_model->refresh();
    updateCount();
    if (m_following && !m_view.cursor())
        m_list->scrollToBottom();
}

void LogPanel::updateCount()
{
    const int shown = m_model->rowCount();
    QString text = figures::grouped(shown) + (shown == 1 ? QStringLiteral(" line") : QStringLiteral(" lines"));
    if (m_delegate->cursorRow() >= 0)
        text += QStringLiteral(" · at the cursor");
    m_count->setText(text);
}

void LogPanel::applyFilter()
{
    LogFilter filter;
    const int rank = m_ranks->currentData().toInt();
    if (rank != kAllRanks)
        filter.rank = rank;
    filter.words = m_find->text();
    m_model->setFilter(filter);
    followCursor();
    refresh();
}

void LogPanel::showRank(int rank)
{
    const int at = m_ranks->findData(rank);
    m_ranks->setCurrentIndex(at >= 0 ? at : 0);
}

void LogPanel::find()
{
    m_find->setFocus(Qt::ShortcutFocusReason);
    m_find->selectAll();
}

void LogPanel::goTo(qint64 wallUs)
{
    const int row = m_model->rowAt(wallUs);
    m_delegate->setCursorRow(row);
    if (row >= 0)
        m_list->scrollTo(m_model->index(row), QAbstractItemView::PositionAtCenter);
    updateCount();
    m_list->viewport()->update();
}

void LogPanel::followCursor()
{
    if (!m_view.cursor()) {
        m_delegate->setCursorRow(-1);
        m_list->viewport()->update();
        if (m_following)
            m_list->scrollToBottom();
        updateCount();
        return;
    }
    const double seconds = XMap(m_run).secondsAt(*m_view.cursor(), m_view.family());
    if (std::isfinite(seconds))
        goTo(m_run.state().startedWallUs + static_cast<qint64>(seconds * 1e6));
}

bool LogPanel::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_list && event->type() == QEvent::KeyPress &&
        static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) {
        QStringList lines;
        QModelIndexList selected = m_list->selectionModel()->selectedIndexes();
        std::sort(selected.begin(), selected.end());
        for (const QModelIndex& index : selected)
            lines << index.data().toString();
        QApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace lockstep::ui
