// SPDX-License-Identifier: GPL-3.0-or-later
// The window: rail, pages, status bar. Shows the models it is given and asks by signals; app answers them.
// Thread: GUI. `theme`, `nodes` and `runs` outlive it.
#pragma once

#include "core/error.h"
#include "core/nodestate.h"
#include "core/runlist.h"
#include "core/secret.h"
#include "core/signinquestion.h"
#include "ui/theme.h"

#include <QWidget>

#include <memory>
#include <optional>

class QShortcut;
class QStackedWidget;

namespace lockstep::ui {

class LaunchPage;
class LeftoversBar;
class NodesPage;
class NoticeBar;
class QuestionBar;
class PreferencesPage;
class KeysPage;
class Rail;
class RunPages;
class RunsPage;
class StatusStrip;
enum class Place;
enum class RailChoice;

class MainWindow : public QWidget {
    Q_OBJECT

public:
    MainWindow(Theme& theme, NodeList& nodes, RunList& runs, QWidget* parent = nullptr);
    ~MainWindow() override;

    void showPlace(Place place);
    void showRun(const QString& runId);                      // opened or about to be
    void showMessage(const QString& text);                   // some seconds in the status bar
    void showError(const QString& what, const Error& error); // stays until closed
    void withdrawError(const QString& what);                 // it holds no longer

    void ask(const SignInQuestion& question); // above every page, until answered or withdrawn
    void withdrawQuestion(int id);

    [[nodiscard]] LaunchPage& launchPage() { return *m_launch; }
    [[nodiscard]] NodesPage& nodesPage() { return *m_nodesPage; }
    [[nodiscard]] LeftoversBar& leftovers() { return *m_leftovers; }
    [[nodiscard]] NoticeBar& notice() { return *m_notice; }
    [[nodiscard]] RunPages& runPages() { return *m_runPages; }
    [[nodiscard]] RunsPage& runsPage() { return *m_runsPage; }

signals:
    void runRequested(const RunSpec& spec);
    void demoRequested();
    void stopRequested(const QString& runId, std::optional<int> graceS); // none: as its spec says
    void openRunRequested(const QString& runId);
    void closeRunRequested(const QString& runId);                                           // its page only
    void exportRequested(const QString& runId, const QString& format, const QString& path); // path empty: ask for one
    void runSpecWanted(const QString& runId);                                               // answered to the Runs page
    void resultsWanted(const QString& runId); // answered to the run's page
    void fetchResultsRequested(const QString& runId);
    void openFolderRequested(const QString& path);
    void nodesAddRequested(const QString& text);
    void nodeRemoveRequested(const QString& node);
    void nodeEditRequested(const lockstep::Node& shown, const lockstep::Node& edited);
    void importRequested(const QString& file, const QStringList& names); // file empty: ~/.ssh/config
    void importFileWanted(const QString& path);                          // answered to the Nodes page
    void checkRequested(const QString& node);
    void checkAllRequested();
    void acceptHostKeyRequested(const QString& node, const QString& fingerprint);
    void deployRequested(const QString& node);
    void cleanRequested(const QStringList& nodes);                                  // end what runs left behind there
    void questionAnswered(int id, const std::shared_ptr<lockstep::Secret>& secret); // no secret: declined
    void measureRequested(const RunSpec& spec);
    void saveSpecRequested(const RunSpec& spec, const QString& path); // path empty: among the saved ones
    void schemeChosen(lockstep::ui::SchemeChoice choice);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void connectNodes();
    void connectLaunchAndRuns();
    void addKeys();
    void focusFilter();
    void showNodes(); // counts and status bar
    void showRuns();
    void showStatus();
    void launchAgain(const RunSpec& spec);

    Theme& m_theme;
    NodeList& m_nodes;
    RunList& m_runs;
    Rail* m_rail;
    QStackedWidget* m_pages;
    NodesPage* m_nodesPage;
    LaunchPage* m_launch;
    RunsPage* m_runsPage;
    PreferencesPage* m_preferences;
    KeysPage* m_keys;
    NoticeBar* m_notice;
    LeftoversBar* m_leftovers;
    QuestionBar* m_questions;
    StatusStrip* m_status;
    QShortcut* m_slash = nullptr;
    RunPages* m_runPages;
    QString m_wanted; // the run to show as soon as it is open
    RailChoice m_railChoice;
};

} // namespace lockstep::ui
