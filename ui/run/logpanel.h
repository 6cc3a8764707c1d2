// SPDX-License-Identifier: GPL-3.0-or-later
// The log with its filters. Follows the newest until it is scrolled away or a cursor stands in the plots; then it shows
// the lines around that time. Thread: GUI.
#pragma once

#include "core/rundata.h"
#include "ui/plots/plotview.h"

#include <QWidget>

class QLabel;
class QListView;

namespace lockstep::ui {

class Combo;
class Field;
class LogDelegate;
class LogModel;
class Theme;

class LogPanel : public QWidget {
    Q_OBJECT

public:
    LogPanel(Theme& theme, PlotView& view, const RunData& run, QWidget* parent = nullptr);

    void refresh();          // new lines
    void showRank(int rank); // filters by it
    void find();             // Ctrl F
    void goTo(qint64 wallUs);
    [[nodiscard]] LogModel& model() { return *m_model; }
    [[nodiscard]] QListView& list() { return *m_list; }

signals:
    void timePicked(qint64 wallUs); // a line was chosen: the plots' cursor goes there

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void applyFilter();
    void fillRanks();
    void followCursor();
    void updateCount();

    Theme& m_theme;
    PlotView& m_view;
    const RunData& m_run;
    LogModel* m_model;
    LogDelegate* m_delegate;
    QListView* m_list;
    Combo* m_ranks;
    Field* m_find;
    QLabel* m_count;
    int m_ranksListed = -1;
    bool m_following = true;
};

} // namespace lockstep::ui
