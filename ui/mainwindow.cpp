// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mainwindow.h"

#include "ui/launch/launchpage.h"
#include "ui/nodes/nodespage.h"
#include "ui/run/runpages.h"
#include "ui/runs/runspage.h"
#include "ui/runs/runwords.h"
#include "ui/shell/keyspage.h"
#include "ui/shell/leftoversbar.h"
#include "ui/shell/noticebar.h"
#include "ui/shell/preferencespage.h"
#include "ui/shell/questionbar.h"
#include "ui/shell/rail.h"
#include "ui/shell/statusstrip.h"
#include "ui/widgets/panel.h"

#include <QBoxLayout>
#include <QResizeEvent>
#include <QShortcut>
#include <QStackedWidget>

#include <algorithm>

namespace lockstep::ui {

namespace {

constexpr int kNarrow = 1200; // below: the rail shows icons only
constexpr int kLeastWidth = 1024, kLeastHeight = 640;

} // namespace

MainWindow::MainWindow(Theme& theme, NodeList& nodes, RunList& runs, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_nodes(nodes), m_runs(runs), m_railChoice(RailChoice::ByWidth)
{
    setWindowTitle(QStringLiteral("Lockstep"));
    setMinimumSize(theme.px(kLeastWidth), theme.px(kLeastHeight));
    resize(theme.px(1440), theme.px(900));
    m_rail = new Rail(theme);
    m_pages = new QStackedWidget;
    m_nodesPage = new NodesPage(theme, nodes, runs);
    m_launch = new LaunchPage(theme, nodes);
    m_runsPage = new RunsPage(theme, runs);
    m_preferences = new PreferencesPage(theme);
    m_keys = new KeysPage(theme);
    m_notice = new NoticeBar(theme);
    m_leftovers = new LeftoversBar(theme, nodes, this);
    m_runPages = new RunPages(theme, runs, *m_pages, this);
    m_questions = new QuestionBar(theme);
    m_status = new StatusStrip(theme);
    for (QWidget* page : std::initializer_list<QWidget*>{m_nodesPage, m_launch, m_runsPage, m_preferences, m_keys})
        m_pages->addWidget(page);

    auto* column = makeColumn(this);
    auto* row = makeRow(nullptr);
    row->setSpacing(0);
    auto* content = makeColumn(nullptr);
    content->addWidget(m_questions);
    content->addWidget(m_notice);
    content->addWidget(m_leftovers);
    content->addWidget(m_pages, 1);
    row->addWidget(m_rail);
    row->addWidget(makeLine(LineKind::Border, Qt::Vertical));
    row->addLayout(content, 1);
    column->addLayout(row, 1);
    column->addWidget(m_status);

    connectNodes();
    connectLaunchAndRuns();
    addKeys();
    connect(m_questions, &QuestionBar::answered, this, &MainWindow::questionAnswered);
    connect(m_rail, &Rail::placeChosen, this, &MainWindow::showPlace);
    connect(m_rail, &Rail::runChosen, this, &MainWindow::showRun);
    connect(m_preferences, &PreferencesPage::schemeChosen, this, &MainWindow::schemeChosen);
    connect(m_preferences, &PreferencesPage::railChosen, this, [this](RailChoice choice) {
        m_railChoice = choice;
        m_rail->setForm(choice == RailChoice::Always || width() < m_theme.px(kNarrow) ? RailForm::IconsOnly
                                                                                      : RailForm::Wide);
    });
    connect(&theme, &Theme::changed, this, &MainWindow::showRuns);
    showNodes();
    showRuns();
    showPlace(Place::Nodes);
}

MainWindow::~MainWindow() = default;

void MainWindow::connectNodes()
{
    connect(m_nodesPage, &NodesPage::nodesAddRequested, this, &MainWindow::nodesAddRequested);
    connect(m_nodesPage, &NodesPage::nodeRemoveRequested, this, &MainWindow::nodeRemoveRequested);
    connect(m_nodesPage, &NodesPage::nodeEditRequested, this, &MainWindow::nodeEditRequested);
    connect(m_nodesPage, &NodesPage::importRequested, this, &MainWindow::importRequested);
    connect(m_nodesPage, &NodesPage::importFileWanted, this, &MainWindow::importFileWanted);
    connect(m_nodesPage, &NodesPage::checkRequested, this, &MainWindow::checkRequested);
    connect(m_nodesPage, &NodesPage::checkAllRequested, this, &MainWindow::checkAllRequested);
    connect(m_nodesPage, &NodesPage::acceptHostKeyRequested, this, &MainWindow::acceptHostKeyRequested);
    connect(m_nodesPage, &NodesPage::deployRequested, this, &MainWindow::deployRequested);
    connect(m_nodesPage, &NodesPage::demoRequested, this, &MainWindow::demoRequested);
    connect(m_nodesPage, &NodesPage::demoTableRequested, this, [this] { launchAgain(RunSpec::demo()); });
    connect(m_status, &StatusStrip::nodeChosen, this, [this](const QString& node) {
        showPlace(Place::Nodes);
        m_nodesPage->showNode(node);
    });
    connect(m_leftovers, &LeftoversBar::cleanRequested, this, &MainWindow::cleanRequested);
    connect(&m_nodes, &NodeList::reset, this, &MainWindow::showNodes);
    connect(&m_nodes, &NodeList::nodeChanged, this, &MainWindow::showNodes);
}

void MainWindow::connectLaunchAndRuns()
{
    connect(m_launch, &LaunchPage::runRequested, this, &MainWindow::runRequested);
    connect(m_launch, &LaunchPage::measureRequested, this, &MainWindow::measureRequested);
    connect(m_launch, &LaunchPage::saveSpecRequested, this, &MainWindow::saveSpecRequested);
    connect(m_runsPage, &RunsPage::openRunRequested, this, &MainWindow::showRun);
    connect(m_runsPage, &RunsPage::launchAgainRequested, this, &MainWindow::launchAgain);
    connect(m_runsPage, &RunsPage::exportRequested, this, &MainWindow::exportRequested);
    connect(m_runsPage, &RunsPage::runSpecWanted, this, &MainWindow::runSpecWanted);
    connect(m_runsPage, &RunsPage::selectionChanged, this, &MainWindow::showStatus);
    connect(&m_runs, &RunList::reset, this, &MainWindow::showRuns);
    connect(&m_runs, &RunList::runChanged, this, &MainWindow::showRuns);
    connect(&m_runs, &RunList::opened, this, [this](const QString& id) {
        connect(m_runs.data(id), &RunData::stateChanged, this, &MainWindow::showRuns);
        showRuns();
        if (m_wanted == id)
            showRun(id);
    });
    connect(&m_runs, &RunList::closed, this, &MainWindow::showRuns);
    connect(m_runPages, &RunPages::shownClosed, this, [this] { showPlace(Place::Runs); });
    connect(m_runPages, &RunPages::stopRequested, this, &MainWindow::stopRequested);
    connect(m_runPages, &RunPages::exportRequested, this, &MainWindow::exportRequested);
    connect(m_runPages, &RunPages::launchAgainRequested, this, &MainWindow::launchAgain);
    connect(m_runPages, &RunPages::resultsWanted, this, &MainWindow::resultsWanted);
    connect(m_runPages, &RunPages::fetchResultsRequested, this, &MainWindow::fetchResultsRequested);
    connect(m_runPages, &RunPages::openFolderRequested, this, &MainWindow::openFolderRequested);
}

void MainWindow::addKeys()
{
    const auto key = [this](const QKeySequence& keys, auto does) {
        connect(new QShortcut(keys, this), &QShortcut::activated, this, does);
    };
    key(Qt::CTRL | Qt::Key_1, [this] { showPlace(Place::Nodes); });
    key(Qt::CTRL | Qt::Key_2, [this] { showPlace(Place::Launch); });
    key(Qt::CTRL | Qt::Key_3, [this] { showPlace(Place::Runs); });
    key(Qt::Key_F1, [this] { showPlace(Place::Keys); });
    key(Qt::CTRL | Qt::Key_R, [this] { emit demoRequested(); });
    key(Qt::CTRL | Qt::Key_N, [this] {
        showPlace(Place::Nodes);
        m_nodesPage->openAdd();
    });
    for (const auto enter : {Qt::Key_Return, Qt::Key_Enter})
        key(Qt::CTRL | enter, [this] {
            if (m_pages->currentWidget() == m_launch)
                m_launch->launch();
        });
    key(Qt::CTRL | Qt::Key_W, [this] {
        if (const QString id = m_runPages->shown(); !id.isEmpty())
            emit closeRunRequested(id);
    });
    m_slash = new QShortcut(Qt::Key_Slash, this);
    connect(m_slash, &QShortcut::activated, this, &MainWindow::focusFilter);
    // The page of a run has a filter and a key of its own; two for one key would be ambiguous.
    connect(m_pages, &QStackedWidget::currentChanged, this,
            [this] { m_slash->setEnabled(m_runPages->shown().isEmpty()); });
}

void MainWindow::focusFilter()
{
    if (m_pages->currentWidget() == m_nodesPage)
        m_nodesPage->focusFilter();
    else if (m_pages->currentWidget() == m_runsPage)
        m_runsPage->focusFilter();
}

void MainWindow::showPlace(Place place)
{
    m_wanted.clear();
    m_rail->setCurrent(place);
    switch (place) {
    case Place::Nodes:
        m_pages->setCurrentWidget(m_nodesPage);
        break;
    case Place::Launch:
        m_pages->setCurrentWidget(m_launch);
        break;
    case Place::Runs:
        m_pages->setCurrentWidget(m_runsPage);
        break;
    case Place::Preferences:
        m_pages->setCurrentWidget(m_preferences);
        break;
    case Place::Keys:
        m_pages->setCurrentWidget(m_keys);
        break;
    }
    m_pages->currentWidget()->setFocus(Qt::OtherFocusReason);
    showStatus();
}

void MainWindow::showRun(const QString& runId)
{
    QWidget* page = m_runPages->page(runId);
    if (!page) {
        m_wanted = runId;
        emit openRunRequested(runId);
        return;
    }
    m_wanted.clear();
    m_pages->setCurrentWidget(page);
    m_rail->setCurrentRun(runId);
    page->setFocus(Qt::OtherFocusReason);
    showStatus();
}

void MainWindow::launchAgain(const RunSpec& spec)
{
    m_launch->setSpec(spec);
    showPlace(Place::Launch);
}

void MainWindow::showMessage(const QString& text)
{
    m_status->showMessage(text);
}

void MainWindow::withdrawError(const QString& what)
{
    m_notice->withdraw(what);
}

void MainWindow::showError(const QString& what, const Error& error)
{
    m_notice->showError(what, error);
}

void MainWindow::ask(const SignInQuestion& question)
{
    m_questions->add(question);
}

void MainWindow::withdrawQuestion(int id)
{
    m_questions->remove(id);
}

void MainWindow::showNodes()
{
    m_rail->setNodeCount(static_cast<int>(m_nodes.nodes().size()));
    m_status->setNodes(m_nodes.nodes());
    showStatus();
}

void MainWindow::showRuns()
{
    const auto live = std::ranges::count_if(
        m_runs.runs(), [](const RunSummary& run) { return !isOver(run.phase) && run.phase != RunPhase::Lost; });
    m_rail->setLiveRuns(static_cast<int>(live));
    QList<Rail::OpenRun> open;
    for (const QString& id : m_runs.open())
        if (const RunData* run = m_runs.data(id)) {
            const RunSummary* known = m_runs.find(id);
            const RunState& state = run->state();
            const StateWords words = runWords(state.phase, state.reason, -1);
            open.append({id, state.name.isEmpty() && known ? known->name : state.name,
                         state.number == 0 && known ? known->number : state.number, words.icon,
                         toneColour(m_theme.tokens(), words.tone)});
        }
    m_rail->setOpenRuns(open);
    showStatus();
}

void MainWindow::showStatus()
{
    const QWidget* page = m_pages->currentWidget();
    const bool alone = std::ranges::all_of(m_nodes.nodes(), [](const NodeState& state) { return state.node.local; });
    const int selected = m_runsPage->selectedCount();
    QString middle;
    if (page == m_runsPage && selected > 0)
        middle = QStringLiteral("%1 of %2 runs selected").arg(selected).arg(m_runs.runs().size());
    else if (alone)
        middle = QStringLiteral("no other nodes yet");
    m_status->setMiddle(middle);
    if (page == m_launch)
        m_status->setRight(QStringLiteral("Ctrl Enter"), QStringLiteral("Launch"));
    else if (page == m_nodesPage && alone)
        m_status->setRight(QStringLiteral("Ctrl R"), QStringLiteral("Run the demo"));
    else
        m_status->setRight({}, {});
}

void MainWindow::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    m_rail->setForm(m_railChoice == RailChoice::Always || width() < m_theme.px(kNarrow) ? RailForm::IconsOnly
                                                                                        : RailForm::Wide);
}

} // namespace lockstep::ui
