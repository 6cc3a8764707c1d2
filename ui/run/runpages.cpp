// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/runpages.h"

#include "ui/run/runpage.h"

#include <QStackedWidget>

namespace lockstep::ui {

RunPages::RunPages(Theme& theme, RunList& runs, QStackedWidget& stack, QObject* parent)
    : QObject(parent), m_theme(theme), m_runs(runs), m_stack(stack)
{
    connect(&runs, &RunList::closed, this, &RunPages::close);
}

QWidget* RunPages::page(const QString& runId)
{
    if (RunPage* known = m_pages.value(runId))
        return known;
    RunData* run = m_runs.data(runId);
    if (!run)
        return nullptr;
    auto* page = new RunPage(m_theme, *run);
    connect(page, &RunPage::stopRequested, this, &RunPages::stopRequested);
    connect(page, &RunPage::exportRequested, this, &RunPages::exportRequested);
    connect(page, &RunPage::launchAgainRequested, this, &RunPages::launchAgainRequested);
    connect(page, &RunPage::resultsWanted, this, &RunPages::resultsWanted);
    connect(page, &RunPage::fetchResultsRequested, this, &RunPages::fetchResultsRequested);
    connect(page, &RunPage::openFolderRequested, this, &RunPages::openFolderRequested);
    m_pages.insert(runId, page);
    m_stack.addWidget(page);
    return page;
}

QString RunPages::shown() const
{
    return m_pages.key(qobject_cast<RunPage*>(m_stack.currentWidget()));
}

void RunPages::setResults(const QString& runId, const RunResults& results)
{
    if (RunPage* page = m_pages.value(runId))
        page->setResults(results);
}

void RunPages::close(const QString& runId)
{
    RunPage* page = m_pages.take(runId);
    if (page && m_stack.currentWidget() == page)
        emit shownClosed();
    delete page; // its data are gone
}

} // namespace lockstep::ui
