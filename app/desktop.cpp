// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop.h"

#include "app/exportrun.h"
#include "core/desktopenvironment.h"
#include "core/specnodes.h"
#include "remote/launcher.h"
#include "ui/launch/launchpage.h"
#include "ui/run/runexport.h"
#include "ui/runs/runspage.h"

#include <QDir>

#include <algorithm>

namespace lockstep {
namespace {

// As the store sums it up, with the curve that is in memory instead of the spool.
RunSummary liveSummary(const RunData& data)
{
    RunSummary summary = summaryOf(data.state());
    summary.lastLoss = data.meanLoss();
    const Series* loss = data.series({QStringLiteral("loss"), 0, 0, {}, data.state().attempt});
    if (!loss || loss->size() == 0)
        return summary;
    std::vector<Column> columns(kSparklineValues);
    loss->decimate(loss->xs().front(), loss->lastX() + 1, columns);
    for (const auto& column : columns)
        if (column.count > 0)
            summary.sparkline.push_back(column.mean);
    return summary;
}

std::vector<Result<RunSpec>> specsIn(const QDir& folder)
{
    std::vector<Result<RunSpec>> specs;
    for (const auto& name : folder.entryList({QStringLiteral("*.toml")}, QDir::Files, QDir::Name))
        specs.push_back(RunSpec::load(folder.filePath(name)));
    return specs;
}

} // namespace

Desktop::Desktop(Desk& desk, ui::Theme& theme)
    : m_desk(desk), m_theme(theme), m_window(theme, m_nodeList, m_runs), m_nodes(desk, m_nodeList, m_window),
      m_store(desk.folder),
      m_results(desk, m_store, m_nodeList, m_window, [this](const QString& runId) { return m_byRun.contains(runId); })
{
    connectWindow();
    connect(this, &Desktop::runFinished, &m_results, &DesktopResults::tell);
}

Desktop::~Desktop() = default;

void Desktop::connectWindow()
{
    using ui::MainWindow;
    connect(&m_window, &MainWindow::runRequested, this, &Desktop::launch);
    connect(&m_window, &MainWindow::demoRequested, this, [this] { launch(RunSpec::demo()); });
    connect(&m_window, &MainWindow::stopRequested, this, &Desktop::stop);
    connect(&m_window, &MainWindow::openRunRequested, this, &Desktop::open);
    connect(&m_window, &MainWindow::exportRequested, this, &Desktop::exportRun);
    connect(&m_window, &MainWindow::closeRunRequested, this, &Desktop::close);
    connect(&m_window, &MainWindow::runSpecWanted, this, &Desktop::answerRunSpec);
    connect(&m_window, &MainWindow::saveSpecRequested, this, &Desktop::saveSpec);
    connect(&m_window, &MainWindow::measureRequested, this, &Desktop::measure);
    if (QuestionBoard* questions = m_desk.questions) {
        connect(questions, &QuestionBoard::asked, &m_window, &MainWindow::ask);
        connect(questions, &QuestionBoard::withdrawn, &m_window, &MainWindow::withdrawQuestion);
        connect(&m_window, &MainWindow::questionAnswered, questions,
                [questions](int id, const std::shared_ptr<Secret>& secret) {
                    if (secret)
                        questions->answer(id, std::move(*secret));
                    else
                        questions->decline(id);
                });
    }
}

void Desktop::start()
{
    m_nodes.start();
    m_window.launchPage().setDesktopEnvironment(desktopEnvironment());
    readSpecs();
    readRuns([this] {
        for (const auto& run : m_runs.runs())
            if (!isOver(run.phase))
                open(run.id);
    });
}

void Desktop::readRuns(const std::function<void()>& then)
{
    m_store.ask([](RunStore& store) { return store.list(); }, this,
                [this, then](Result<QList<RunSummary>> runs) {
                    if (!runs)
                        m_window.showError(QStringLiteral("The runs were not read"), runs.error());
                    else
                        m_runs.setRuns(std::move(*runs));
                    if (then)
                        then();
                });
}

void Desktop::close(const QString& runId)
{
    // Only the watching ends: the nodes own the run, and opening it again takes it up where our copy ends.
    if (const auto found = m_byRun.find(runId); found != m_byRun.end()) {
        RunSession* session = found->second;
        m_byRun.erase(found);
        std::erase_if(m_sessions, [session](const auto& each) { return each.get() == session; });
    }
    m_runs.close(runId);
}

RunSession& Desktop::newSession()
{
    RunSession& session = *m_sessions.emplace_back(std::make_unique<RunSession>(m_desk.parts, m_store));
    connect(&session, &RunSession::stateChanged, this,
            [this, &session](const RunState& state) { sessionState(session, state); });
    connect(&session, &RunSession::planChanged, this, [this, &session](const RunSpec& spec, const LaunchPlan& plan) {
        if (RunData* data = m_runs.data(session.state().id))
            data->setPlan(spec, plan);
    });
    connect(&session, &RunSession::updated, this, [this, &session](const RunUpdate& update) {
        if (RunData* data = m_runs.data(session.state().id))
            data->apply(update);
    });
    connect(&session, &RunSession::resultFetched, this, [this, &session] { m_results.tell(session.state().id); });
    connect(&session, &RunSession::said, &m_window, &ui::MainWindow::showMessage);
    connect(&session, &RunSession::refused, this,
            [this](const Error& error) { m_window.showError(QStringLiteral("The run was not taken up"), error); });
    // Later: the session itself is what emits this.
    connect(
        &session, &RunSession::finished, this, [this, &session] { sessionFinished(session); }, Qt::QueuedConnection);
    return session;
}

void Desktop::launch(const RunSpec& spec)
{
    const auto nodes = nodesFor(spec, m_nodes.inventory());
    if (!nodes)
        m_window.showError(QStringLiteral("Nothing was launched"), nodes.error());
    else
        newSession().launch(spec, *nodes);
}

void Desktop::open(const QString& runId)
{
    if (m_runs.data(runId)) // live, or read before
        m_window.showRun(runId);
    else
        newSession().attach(runId, m_nodes.inventory());
}

void Desktop::sessionState(RunSession& session, const RunState& state)
{
    if (state.id.isEmpty())
        return;
    RunData* data = m_runs.data(state.id);
    if (!data) {
        data = &m_runs.attach(state.id);
        data->setPlan(session.spec(), session.plan());
    }
    if (!session.isFinished())
        m_byRun[state.id] = &session;
    const bool first = data->state().id.isEmpty();
    data->setState(state);
    m_runs.update(liveSummary(*data));
    if (first) {
        m_window.showRun(state.id);
        emit runOpened(state.id);
    }
}

void Desktop::sessionFinished(RunSession& session)
{
    if (std::ranges::none_of(m_sessions, [&session](const auto& each) { return each.get() == &session; }))
        return; // closed meanwhile
    const QString id = session.state().id;
    if (RunData* data = m_runs.data(id))
        m_runs.update(liveSummary(*data));
    m_byRun.erase(id);
    std::erase_if(m_sessions, [&session](const auto& each) { return each.get() == &session; });
    emit runFinished(id);
}

void Desktop::stop(const QString& runId, std::optional<int> graceS)
{
    if (const auto found = m_byRun.find(runId); found != m_byRun.end()) {
        found->second->stop(graceS.value_or(RunSession::kSpecGrace));
        return;
    }
    // Nobody watches it any more: it is over, and a node has not proven that nothing is left; or it is lost.
    m_runs.close(runId);
    RunSession& session = newSession();
    session.attach(runId, m_nodes.inventory());
    session.stop(graceS.value_or(RunSession::kSpecGrace));
}

void Desktop::exportRun(const QString& runId, const QString& format, const QString& path)
{
    const RunData* data = m_runs.data(runId);
    if (!data)
        return;
    const QString file = path.isEmpty() ? ui::freePath(*data, format) : path;
    const auto then = [this, file](const Result<void>& written) {
        if (!written)
            m_window.showError(QStringLiteral("Nothing was exported"), written.error());
        else
            m_window.showMessage(QStringLiteral("Written: %1").arg(file));
    };
    if (format == QLatin1String("png"))
        m_worker.ask(
            [picture = pictureOf(m_theme, *data), file](const std::stop_token&) { return writePicture(picture, file); },
            then);
    else // read anew beside the window, which draws what it holds meanwhile
        m_worker.ask(
            [folder = m_desk.folder, runId, format, file](const std::stop_token&) -> Result<void> {
                RunStore store(folder);
                RunData whole;
                if (auto opened = openRun(store, runId, whole); !opened)
                    return opened;
                return writeTable(whole, format, file);
            },
            then);
}

void Desktop::readSpecs()
{
    m_store.ask([folder = m_desk.folder.specsFolder()](RunStore&) { return specsIn(folder); }, this,
                [this](const std::vector<Result<RunSpec>>& saved) {
                    QList<RunSpec> specs;
                    for (const Result<RunSpec>& spec : saved) {
                        if (spec)
                            specs << *spec;
                        else
                            m_window.showError(QStringLiteral("A saved spec was not read"), spec.error());
                    }
                    m_window.launchPage().setSavedSpecs(specs);
                });
}

void Desktop::saveSpec(const RunSpec& spec, const QString& path)
{
    const QString file =
        path.isEmpty() ? QDir(m_desk.folder.specsFolder()).filePath(spec.name + QStringLiteral(".toml")) : path;
    m_store.ask([spec, file](RunStore&) { return spec.save(file); }, this,
                [this](const Result<void>& saved) {
                    if (!saved)
                        m_window.showError(QStringLiteral("The spec was not saved"), saved.error());
                    else
                        readSpecs();
                });
}

void Desktop::measure(const RunSpec& spec)
{
    const auto nodes = nodesFor(spec, m_nodes.inventory());
    if (!nodes) {
        m_window.showError(QStringLiteral("Nothing was measured"), nodes.error());
        return;
    }
    m_worker.ask(
        [parts = m_desk.parts, spec, nodes = *nodes](std::stop_token stop) -> Result<LaunchPlan> {
            auto measured = measurePlan(parts, spec, nodes, stop); // its port and connections go with it, here
            return measured ? Result<LaunchPlan>(std::move(measured->plan)) : std::unexpected(measured.error());
        },
        [this, spec](const Result<LaunchPlan>& plan) {
            if (plan)
                m_window.launchPage().setMeasured(spec, *plan);
            else
                m_window.showError(QStringLiteral("Not all was measured"), plan.error());
        });
}

void Desktop::answerRunSpec(const QString& runId)
{
    m_store.ask([runId](RunStore& store) { return store.spec(runId); }, this,
                [this, runId](const Result<RunSpec>& spec) {
                    if (spec)
                        m_window.runsPage().setRunSpec(runId, *spec);
                });
}

} // namespace lockstep
