// SPDX-License-Identifier: GPL-3.0-or-later
// The rank table with its title, filter and the notices that speak of ranks. Refreshed a few times a second. Thread:
// GUI.
#pragma once

#include "core/rundata.h"
#include "ui/run/rankmodel.h"

#include <QSet>
#include <QWidget>

class QVBoxLayout;

namespace lockstep::ui {

class Button;
class DataTable;
class Field;
class Notice;
class PanelHeader;
class Theme;

class RankPanel : public QWidget {
    Q_OBJECT

public:
    RankPanel(Theme& theme, const RunData& run, QWidget* parent = nullptr);

    void refresh();
    void filter(); // `/`
    void selectRank(int rank);
    void togglePinned(); // P: the selected ranks
    [[nodiscard]] const RankModel& model() const { return *m_model; }
    [[nodiscard]] DataTable& table() { return *m_table; }
    [[nodiscard]] const Notice& linkNotice() const { return *m_link; }
    [[nodiscard]] const Notice& slowNotice() const { return *m_slow; }

signals:
    void rankChosen(int rank); // Enter or double click
    void pinnedChanged(const QSet<int>& ranks);
    void factsToggled(bool shown);
    void filesToggled(bool shown);

private:
    void makeTable(RankColumns columns);

    Theme& m_theme;
    const RunData& m_run;
    PanelHeader* m_header;
    Field* m_filter;
    Button* m_files; // only where the run has files to fetch
    Notice *m_link, *m_slow;
    QVBoxLayout* m_column;
    RankModel* m_model = nullptr;
    DataTable* m_table = nullptr;
    RankColumns m_columns = RankColumns::Live;
    QSet<int> m_pinned;
};

} // namespace lockstep::ui
