// SPDX-License-Identifier: GPL-3.0-or-later
// The window and everything it asks for: every connection between ui/ and remote/ is made here. Thread: GUI.
#pragma once

#include "app/desktopnodes.h"
#include "app/desktopresults.h"
#include "app/worker.h"
#include "core/runlist.h"
#include "core/storethread.h"
#include "remote/runsession.h"
#include "ui/mainwindow.h"
#include "ui/theme.h"

#include <map>

namespace lockstep {

class Desktop : public QObject {
    Q_OBJECT

public:
    Desktop(Desk& desk, ui::Theme& theme);
    ~Desktop() override;

    void start(); // reads the inventory and the runs; takes up every run that has not ended
    void launch(const RunSpec& spec);
    void open(const QString& runId);
    [[nodiscard]] ui::MainWindow& window() { return m_window; }
    [[nodiscard]] RunList& runs() { return m_runs; }

signals:
    void runOpened(const QString& runId);   // it has an id and a page
    void runFinished(const QString& runId); // its state is final, or all of it has been read

private:
    void connectWindow();
    void readRuns(const std::function<void()>& then);
    RunSession& newSession();
    void sessionState(RunSession& session, const RunState& state);
    void sessionFinished(RunSession& session);
    void stop(const QString& runId, std::optional<int> graceS); // none: as its spec says
    void close(const QString& runId);
    void exportRun(const QString& runId, const QString& format, const QString& path); // path empty: a free one
    void readSpecs();
    void saveSpec(const RunSpec& spec, const QString& path); // path empty: among the saved ones
    void answerRunSpec(const QString& runId);
    void measure(const RunSpec& spec);

    Desk& m_desk;
    ui::Theme& m_theme;
    NodeList m_nodeList;
    RunList m_runs;
    ui::MainWindow m_window;
    DesktopNodes m_nodes;
    StoreThread m_store;
    DesktopResults m_results;
    Worker m_worker;
    std::vector<std::unique_ptr<RunSession>> m_sessions;
    std::map<QString, RunSession*> m_byRun;
};

} // namespace lockstep
