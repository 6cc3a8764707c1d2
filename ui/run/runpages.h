// SPDX-License-Identifier: GPL-3.0-or-later
// The pages of the open runs in the window's stack, one a run, made when it is shown first and gone with its data. What
// a page asks is asked here. Thread: GUI. All that it is given outlives it.
#pragma once

#include "core/resultsshelf.h"
#include "core/runlist.h"

#include <QHash>
#include <QObject>

#include <optional>

class QStackedWidget;
class QWidget;

namespace lockstep::ui {

class RunPage;
class Theme;

class RunPages : public QObject {
    Q_OBJECT

public:
    RunPages(Theme& theme, RunList& runs, QStackedWidget& stack, QObject* parent = nullptr);

    [[nodiscard]] QWidget* page(const QString& runId); // null: the run is not open
    [[nodiscard]] QString shown() const;               // the run whose page the stack shows; empty: none
    void setResults(const QString& runId, const RunResults& results);

signals:
    void shownClosed();                                                  // the run that was shown; its page goes now
    void stopRequested(const QString& runId, std::optional<int> graceS); // none: as its spec says
    void exportRequested(const QString& runId, const QString& format, const QString& path);
    void launchAgainRequested(const RunSpec& spec);
    void resultsWanted(const QString& runId);
    void fetchResultsRequested(const QString& runId);
    void openFolderRequested(const QString& path);

private:
    void close(const QString& runId);

    Theme& m_theme;
    RunList& m_runs;
    QStackedWidget& m_stack;
    QHash<QString, RunPage*> m_pages;
};

} // namespace lockstep::ui
