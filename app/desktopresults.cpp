// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktopresults.h"

#include "remote/resultsagain.h"
#include "ui/run/runpages.h"

#include <QDesktopServices>
#include <QUrl>

namespace lockstep {
namespace {

QString missingText(const Result<QList<FetchedNode>>& fetched)
{
    if (!fetched)
        return fetched.error().text;
    QStringList sentences;
    for (const FetchedNode& node : *fetched)
        if (!node.how)
            sentences << node.how.error().text;
    return sentences.join(QLatin1Char(' '));
}

} // namespace

DesktopResults::DesktopResults(Desk& desk, StoreThread& store, const NodeList& nodes, ui::MainWindow& window,
                               std::function<bool(const QString& runId)> isFollowed)
    : m_desk(desk), m_store(store), m_nodes(nodes), m_window(window), m_isFollowed(std::move(isFollowed))
{
    using ui::MainWindow;
    connect(&window, &MainWindow::resultsWanted, this, &DesktopResults::tell);
    connect(&window, &MainWindow::fetchResultsRequested, this, &DesktopResults::fetch);
    connect(&window, &MainWindow::openFolderRequested, this, &DesktopResults::openFolder);
}

void DesktopResults::tell(const QString& runId)
{
    if (const auto asked = m_asked.find(runId); asked != m_asked.end()) {
        *asked = true;
        return;
    }
    m_asked.insert(runId, false);
    m_store.ask(
        [runId](RunStore& store) {
            RunResults results;
            results.folder = store.folder().resultsFolder(runId);
            results.files = ResultsShelf::all(results.folder);
            return results;
        },
        this,
        [this, runId](RunResults results) {
            // The last files of a run still come when its ranks have finished.
            results.fetching = m_fetching.contains(runId) || m_isFollowed(runId);
            results.missing = m_missing.value(runId);
            m_window.runPages().setResults(runId, results);
            if (m_asked.take(runId))
                tell(runId);
        });
}

void DesktopResults::fetch(const QString& runId)
{
    if (m_fetching.contains(runId))
        return;
    m_fetching.insert(runId);
    m_missing.remove(runId);
    tell(runId);
    Inventory inventory;
    for (const NodeState& state : m_nodes.nodes())
        inventory.nodes.append(state.node);
    m_store.ask([runId, inventory](RunStore& store) { return orderResults(store, runId, inventory); }, this,
                [this, runId](const Result<ResultsOrder>& order) {
                    if (!order) {
                        fetched(runId, order.error().text);
                        return;
                    }
                    m_worker.ask(
                        [parts = m_desk.parts, order = *order](std::stop_token stop) {
                            return fetchResults(
                                parts, order, [](const ResultEntry&) {}, stop);
                        },
                        [this, runId](const Result<QList<FetchedNode>>& nodes) { fetched(runId, missingText(nodes)); });
                });
}

void DesktopResults::fetched(const QString& runId, const QString& missing)
{
    m_fetching.remove(runId);
    if (!missing.isEmpty())
        m_missing.insert(runId, missing);
    tell(runId);
}

void DesktopResults::openFolder(const QString& path)
{
    if (!QDesktopServices::openUrl(QUrl::fromLocalFile(path)))
        m_window.showError(QStringLiteral("No program opens folders here"),
                           {ErrorCode::NotFound, QStringLiteral("The files lie in %1.").arg(path), {}});
}

} // namespace lockstep
