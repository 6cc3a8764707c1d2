// SPDX-License-Identifier: GPL-3.0-or-later
// What the window asks about the files that are fetched of runs: which are here, fetching what is missing once more,
// the folder they lie in. Thread: GUI. All that it is given outlives it.
#pragma once

#include "app/desk.h"
#include "app/worker.h"
#include "core/storethread.h"
#include "ui/mainwindow.h"

#include <QHash>
#include <QSet>

#include <functional>

namespace lockstep {

class DesktopResults : public QObject {
    Q_OBJECT

public:
    // isFollowed: a session of the run goes on here, and fetches.
    DesktopResults(Desk& desk, StoreThread& store, const NodeList& nodes, ui::MainWindow& window,
                   std::function<bool(const QString& runId)> isFollowed);

    void tell(const QString& runId); // what is here by now, to the run's page

private:
    void fetch(const QString& runId);
    void fetched(const QString& runId, const QString& missing);
    void openFolder(const QString& path);

    Desk& m_desk;
    StoreThread& m_store;
    const NodeList& m_nodes;
    ui::MainWindow& m_window;
    std::function<bool(const QString& runId)> m_isFollowed;
    QHash<QString, bool> m_asked; // of the store; true: once more, for files that came meanwhile
    QSet<QString> m_fetching;
    QHash<QString, QString> m_missing; // of the runs whose last fetch did not bring all
    Worker m_worker;
};

} // namespace lockstep
