// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop.h"

#include "app/exportrun.h"
#include "core/specnodes.h"

#include "ui/run/runexport.h"

#include <QDir>
#include <QProcessEnvironment>

namespace lockstep {
namespace {

QString sshConfigFile()
{
    const QString named = qEnvironmentVariable("LOCKSTEP_SSH_CONFIG");
    return named.isEmpty() ? QDir::homePath() + QStringLiteral("/.ssh/config") : named;
}

Environment ownEnvironment()
{
    Environment environment;
    const auto own = QProcessEnvironment::systemEnvironment();
    for (const auto& name : own.keys())
        environment << QPair(name.toLocal8Bit(), own.value(name).toLocal8Bit());
    return environment;
}

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

} // namespace

Desktop::Desktop(Desk& desk, ui::Theme& theme)
    : m_desk(desk), m_theme(theme), m_window(theme, m_nodes, m_runs), m_store(desk.folder),
      m_watch(desk.parts, desk.acceptHostKey)
{
    connect(&m_watch, &NodeWatch::stateChanged, &m_nodes, &NodeList::update);
    connectWindow();
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
    connect(&m_window, &MainWindow::nodesAddRequested, this, &Desktop::addNodes);
    connect(&m_window, &MainWindow::nodeRemoveRequested, this, &Desktop::removeNode);
    connect(&m_window, &MainWindow::importRequested, this, &Desktop::importAliases);
    connect(&m_window, &MainWindow::checkRequested, &m_watch, &NodeWatch::check);
    connect(&m_window, &MainWindow::checkAllRequested, &m_watch, &NodeWatch::checkAll);
    connect(&m_window, &MainWindow::acceptHostKeyRequested, &m_watch, &NodeWatch::acceptHostKey);
    connect(&m_window, &MainWindow::closeRunRequested, &m_runs, &RunList::close);
    connect(&m_window, &MainWindow::runSpecWanted, this, &Desktop::answerRunSpec);
    connect(&m_window, &MainWindow::saveSpecRequested, this, &Desktop::saveSpec);
}

void Desktop::start()
{
    if (auto inventory = Inventory::load(m_desk.folder.inventoryFile())) {
        m_inventory = std::move(*inventory);
        m_nodes.setInventory(m_inventory);
        m_watch.setInventory(m_inventory);
    } else {
        m_window.showError(QStringLiteral("The inventory was not read"), inventory.error());
    }
    showAliases();
    m_window.setDesktopEnvironment(ownEnvironment());
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

void Desktop::changeInventory(Inventory inventory)
{
    if (auto saved = inventory.save(m_desk.folder.inventoryFile()); !saved) {
        m_window.showError(QStringLiteral("The inventory was not saved"), saved.error());
        return;
    }
    m_inventory = std::move(inventory);
    m_nodes.setInventory(m_inventory);
    m_watch.setInventory(m_inventory);
}

void Desktop::addNodes(const QString& text)
{
    Inventory inventory = m_inventory;
    const auto nodes = nodesFromText(text);
    Result<void> added = nodes ? Result<void>() : std::unexpected(nodes.error());
    if (nodes)
        for (const auto& node : *nodes)
            if (added)
                added = inventory.add(node);
    if (added)
        changeInventory(std::move(inventory));
    else
        m_window.showError(QStringLiteral("The node was not added"), added.error());
}

void Desktop::importAliases(const QStringList& aliases)
{
    const auto imported = importSshConfig(sshConfigFile());
    if (!imported) {
        m_window.showError(QStringLiteral("Nothing was imported"), imported.error());
        return;
    }
    Inventory inventory = m_inventory;
    for (const auto& node : imported->nodes)
        if (aliases.contains(node.name))
            if (auto added = inventory.add(node); !added)
                m_window.showError(QStringLiteral("The node was not added"), added.error());
    changeInventory(std::move(inventory));
}

void Desktop::removeNode(const QString& name)
{
    Inventory inventory = m_inventory;
    if (auto removed = inventory.remove(name); !removed)
        m_window.showError(QStringLiteral("The node was not removed"), removed.error());
    else
        changeInventory(std::move(inventory));
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
    const auto nodes = nodesFor(spec, m_inventory);
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
        newSession().attach(runId, m_inventory);
}

void Desktop::sessionState(RunSession& session, const RunState& state)
{
    if (state.id.isEmpty())
        return;
    RunData* data = m_runs.data(state.id);
    if (!data) {
        data = &m_runs.attach(state.id);
        data->setPlan(session.spec(), session.plan());
        m_byRun[state.id] = &session;
    }
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
    const QString id = session.state().id;
    if (RunData* data = m_runs.data(id))
        m_runs.update(liveSummary(*data));
    m_byRun.erase(id);
    std::erase_if(m_sessions, [&session](const auto& each) { return each.get() == &session; });
    emit runFinished(id);
}

void Desktop::stop(const QString& runId)
{
    const auto found = m_byRun.find(runId);
    if (found != m_byRun.end())
        found->second->stop(-1);
}

void Desktop::exportRun(const QString& runId, const QString& format, const QString& path)
{
    const RunData* data = m_runs.data(runId);
    if (!data)
        return;
    const QString file = path.isEmpty() ? ui::freePath(*data, format) : path;
    const auto written =
        format == QLatin1String("png") ? writePicture(m_theme, *data, file) : writeTable(*data, format, file);
    if (!written)
        m_window.showError(QStringLiteral("Nothing was exported"), written.error());
    else
        m_window.showMessage(QStringLiteral("Written: %1").arg(file));
}

void Desktop::showAliases()
{
    const auto aliases = importSshConfig(sshConfigFile());
    if (!aliases) // no ssh_config: nothing to offer
        return;
    QList<QPair<QString, QString>> offered;
    for (const auto& node : aliases->nodes)
        offered << QPair(node.name,
                         node.jump.isEmpty() ? node.address.text() : QStringLiteral("via ") + node.jump.last());
    m_window.setSshAliases(offered);
}

void Desktop::readSpecs()
{
    QList<RunSpec> specs{RunSpec::demo()};
    const QDir folder(m_desk.folder.specsFolder());
    for (const auto& name : folder.entryList({QStringLiteral("*.toml")}, QDir::Files, QDir::Name)) {
        if (auto spec = RunSpec::load(folder.filePath(name)))
            specs << *spec;
        else
            m_window.showError(QStringLiteral("A saved spec was not read"), spec.error());
    }
    m_window.setSavedSpecs(specs);
}

void Desktop::saveSpec(const RunSpec& spec, const QString& path)
{
    const QString file =
        path.isEmpty() ? QDir(m_desk.folder.specsFolder()).filePath(spec.name + QStringLiteral(".toml")) : path;
    if (auto saved = spec.save(file); !saved)
        m_window.showError(QStringLiteral("The spec was not saved"), saved.error());
    else
        readSpecs();
}

void Desktop::answerRunSpec(const QString& runId)
{
    m_store.ask([runId](RunStore& store) { return store.spec(runId); }, this,
                [this, runId](const Result<RunSpec>& spec) {
                    if (spec)
                        m_window.setRunSpec(runId, *spec);
                });
}

} // namespace lockstep
