// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/runpage.h"

#include "ui/plots/devicecells.h"
#include "ui/plots/linesplitter.h"
#include "ui/plots/plotcolumn.h"
#include "ui/plots/xmap.h"
#include "ui/run/advice.h"
#include "ui/run/causecard.h"
#include "ui/run/factspanel.h"
#include "ui/run/logpanel.h"
#include "ui/run/notice.h"
#include "ui/run/rankpanel.h"
#include "ui/run/resultspanel.h"
#include "ui/run/runexport.h"
#include "ui/run/runheader.h"
#include "ui/run/runnotices.h"
#include "ui/run/runtoolbar.h"
#include "ui/theme.h"

#include <QClipboard>
#include <QDateTime>
#include <QGuiApplication>
#include <QScrollArea>
#include <QShortcut>
#include <QTimer>
#include <QVBoxLayout>

#include <chrono>
#include <cmath>

namespace lockstep::ui {

namespace {

constexpr std::chrono::milliseconds kTableFrame{250}; // numbers that change faster cannot be read
constexpr std::chrono::milliseconds kLogFrame{100};
constexpr std::chrono::milliseconds kAgeTick{250}; // "newest record 0.2 s ago" grows without any record
constexpr std::chrono::seconds kSaidFor{8};
constexpr int kLeft = 752, kRight = 520, kRanks = 324, kRanksOfMany = 512, kRanksFailed = 256, kLog = 428, kFacts = 240,
              kFiles = 200;
constexpr int kLeastPlots = 480, kLeastSide = 400, kNarrow = 1100, kManyRanks = 12;
constexpr int kCardEdge = 16, kCardGap = 12;

} // namespace

struct RunPage::Parts {
    Parts(Theme& t, RunData& r, RunPage& page)
        : theme(t), run(r), header(new RunHeader(t, r)), card(new CauseCard(t, r)), said(new Notice(t)),
          toolbar(new RunToolbar(t, view, r)), plots(new PlotColumn(t, view, r)), ranks(new RankPanel(t, r)),
          facts(new FactsPanel(t, r)), results(new ResultsPanel(t, r)), log(new LogPanel(t, view, r)),
          scroll(new QScrollArea), cardRoom(new QWidget), sides(new LineSplitter(t, Qt::Horizontal)),
          right(new LineSplitter(t, Qt::Vertical)), tablePacer(kTableFrame), logPacer(kLogFrame),
          ages(new QTimer(&page))
    {
    }

    void layOut(RunPage& page);
    void connectParts(RunPage& page);
    void addKeys(RunPage& page);
    void stateChanged();
    void placeSides(int width);
    void exportAs(RunPage& page, const QString& format);

    Theme& theme;
    RunData& run;
    PlotView view;
    RunHeader* header;
    CauseCard* card;
    Notice* said;
    RunToolbar* toolbar;
    PlotColumn* plots;
    RankPanel* ranks;
    FactsPanel* facts;
    ResultsPanel* results;
    LogPanel* log;
    QScrollArea* scroll;
    QWidget* cardRoom;
    LineSplitter *sides, *right;
    FramePacer tablePacer, logPacer;
    QTimer* ages;
    bool openedOnCause = false;
};

void RunPage::Parts::layOut(RunPage& page)
{
    auto* left = new QWidget;
    auto* leftColumn = makeColumn(left);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(plots);
    leftColumn->addWidget(toolbar);
    leftColumn->addWidget(scroll, 1);
    left->setMinimumWidth(theme.px(kLeastPlots));
    right->addWidget(ranks);
    right->addWidget(facts);
    right->addWidget(results);
    right->addWidget(log);
    facts->hide();
    results->hide();
    right->setMinimumWidth(theme.px(kLeastSide));
    const bool many = run.plan().worldSize > kManyRanks;
    const int rankHeight = run.state().cause ? kRanksFailed : many ? kRanksOfMany : kRanks;
    right->setSizes({theme.px(rankHeight), theme.px(kFacts), theme.px(kFiles), theme.px(kLog)});
    right->setStretchFactor(3, 1);
    sides->addWidget(left);
    sides->addWidget(right);
    sides->setSizes({theme.px(kLeft), theme.px(kRight)});
    sides->setStretchFactor(0, 60);
    sides->setStretchFactor(1, 40);
    auto* cardColumn = makeColumn(cardRoom);
    cardColumn->setContentsMargins(theme.px(kCardEdge), theme.px(kCardGap), theme.px(kCardEdge), theme.px(kCardGap));
    cardColumn->addWidget(card);
    auto* column = makeColumn(&page);
    column->addWidget(header);
    column->addWidget(said);
    column->addWidget(cardRoom);
    column->addWidget(sides, 1);
}

void RunPage::Parts::connectParts(RunPage& page)
{
    RunData* data = &run;
    connect(data, &RunData::changed, &page, [this] {
        tablePacer.request();
        logPacer.request();
    });
    connect(data, &RunData::stateChanged, &page, [this] { stateChanged(); });
    connect(&tablePacer, &FramePacer::frame, &page, [this] {
        ranks->refresh();
        plots->cells().setTrouble(cellTrouble(ranks->model().rows()), nodeTrouble(run, ranks->model().rows()));
        facts->refresh();
        header->refresh(QDateTime::currentMSecsSinceEpoch() * 1000);
    });
    connect(&logPacer, &FramePacer::frame, log, &LogPanel::refresh);
    connect(ages, &QTimer::timeout, &page, [this, &page] {
        if (page.isVisible() && !isOver(run.state().phase))
            header->refresh(QDateTime::currentMSecsSinceEpoch() * 1000);
    });
    ages->start(kAgeTick);

    connect(header, &RunHeader::stopRequested, &page,
            [this, &page](std::optional<int> graceS) { emit page.stopRequested(run.state().id, graceS); });
    connect(header, &RunHeader::copyRequested, &page,
            [this] { QGuiApplication::clipboard()->setText(commandsText(run)); });
    connect(header, &RunHeader::exportRequested, &page,
            [this, &page](const QString& format) { exportAs(page, format); });
    connect(header, &RunHeader::againRequested, &page, [this, &page] { emit page.launchAgainRequested(run.spec()); });
    connect(card, &CauseCard::launchAgainRequested, &page, &RunPage::launchAgainRequested);
    connect(card, &CauseCard::openInLog, log, &LogPanel::showRank);
    connect(toolbar, &RunToolbar::plotToggled, plots, &PlotColumn::addPlot);
    connect(plots, &PlotColumn::deviceClicked, ranks, &RankPanel::selectRank);
    connect(ranks, &RankPanel::rankChosen, log, &LogPanel::showRank);
    connect(ranks, &RankPanel::factsToggled, facts, &QWidget::setVisible);
    connect(ranks, &RankPanel::filesToggled, results, &QWidget::setVisible);
    connect(results, &ResultsPanel::wanted, &page, [this, &page] { emit page.resultsWanted(run.state().id); });
    connect(results, &ResultsPanel::fetchRequested, &page,
            [this, &page] { emit page.fetchResultsRequested(run.state().id); });
    connect(results, &ResultsPanel::openFolderRequested, &page, &RunPage::openFolderRequested);
    connect(ranks, &RankPanel::pinnedChanged, plots, &PlotColumn::setPinned);
    connect(log, &LogPanel::timePicked, &page, [this](qint64 wallUs) {
        const double seconds = static_cast<double>(wallUs - run.state().startedWallUs) / 1e6;
        const double x = XMap(run).xOfSeconds(seconds, view.family());
        if (std::isfinite(x))
            view.setCursor(x);
    });
}

void RunPage::Parts::addKeys(RunPage& page)
{
    const auto key = [&page](const QKeySequence& keys, auto&& slot) {
        auto* shortcut = new QShortcut(keys, &page);
        shortcut->setContext(Qt::WidgetWithChildrenShortcut);
        connect(shortcut, &QShortcut::activated, &page, slot);
    };
    key(Qt::Key_F, [this] { view.follow(); });
    key(Qt::Key_L, [this] { view.setYScale(view.yScale() == YScale::Log ? YScale::Linear : YScale::Log); });
    key(Qt::Key_S, [this] { toolbar->cycleSmoothing(); });
    key(Qt::Key_P, [this] { ranks->togglePinned(); });
    key(Qt::Key_Slash, [this] { ranks->filter(); });
    key(QKeySequence::Find, [this] { log->find(); });
}

// A run that failed opens on its cause: card on top, the log at the end of the rank that failed first.
void RunPage::Parts::stateChanged()
{
    header->refresh(QDateTime::currentMSecsSinceEpoch() * 1000);
    toolbar->refresh();
    card->refresh();
    ranks->refresh();
    plots->cells().setTrouble(cellTrouble(ranks->model().rows()), nodeTrouble(run, ranks->model().rows()));
    const RunState& state = run.state();
    const bool failed = state.cause.has_value() && isOver(state.phase);
    cardRoom->setVisible(failed);
    plots->setRoomFor(failed ? PlotColumn::Beside::Cause : PlotColumn::Beside::Nothing);
    if (!failed || openedOnCause)
        return;
    openedOnCause = true;
    ranks->selectRank(state.cause->rank);
    for (const RankState& rank : state.ranks)
        if (rank.rank == state.cause->rank)
            log->goTo(rank.endedWallUs);
}

// Narrow windows have the ranks and the log under the plots.
void RunPage::Parts::placeSides(int width)
{
    const bool narrow = width < theme.px(kNarrow);
    const Qt::Orientation wanted = narrow ? Qt::Vertical : Qt::Horizontal;
    if (sides->orientation() == wanted)
        return;
    sides->setOrientation(wanted);
    right->setOrientation(narrow ? Qt::Horizontal : Qt::Vertical);
}

void RunPage::Parts::exportAs(RunPage& page, const QString& format)
{
    const QString path = freePath(run, format);
    if (format != QLatin1String("png")) {
        emit page.exportRequested(run.state().id, format, path); // the store has every point
        said->say({.icon = Icon::Export,
                   .ground = Ground::Alt,
                   .title = QStringLiteral("Writing %1").arg(path),
                   .detail = {}});
        return;
    }
    const Result<QString> saved = savePicture(*plots, path);
    if (saved)
        said->say({.icon = Icon::Export,
                   .ground = Ground::Alt,
                   .title = QStringLiteral("Saved %1").arg(*saved),
                   .detail = {}});
    else
        said->say({.icon = Icon::Bad, .ground = Ground::Bad, .title = saved.error().text, .detail = {}});
    QTimer::singleShot(kSaidFor, said, &Notice::beSilent);
}

RunPage::RunPage(Theme& theme, RunData& run, QWidget* parent)
    : QWidget(parent), m_parts(std::make_unique<Parts>(theme, run, *this))
{
    setFocusPolicy(Qt::StrongFocus); // keys work at once, and no button looks chosen
    m_parts->layOut(*this);
    m_parts->connectParts(*this);
    m_parts->addKeys(*this);
    m_parts->stateChanged();
}

RunPage::~RunPage() = default;

void RunPage::setResults(const RunResults& results)
{
    m_parts->results->setResults(results);
}

int RunPage::framesPainted() const
{
    return m_parts->plots->framesPainted();
}

void RunPage::showEvent(QShowEvent*)
{
    setFocus();
}

void RunPage::resizeEvent(QResizeEvent*)
{
    m_parts->placeSides(width());
}

} // namespace lockstep::ui
