// SPDX-License-Identifier: GPL-3.0-or-later
// The Runs page: every run, newest first; the selected ones over each other with what differs. Asks by signals.
// Thread: GUI; `theme` and `runs` outlive it.
#pragma once

#include "core/runlist.h"
#include "ui/theme.h"

#include <QWidget>

class QLabel;
class QTimer;

namespace lockstep::ui {

class Combo;
class DataTable;
class Field;
class OverlayPanel;
class RunModel;

class RunsPage : public QWidget {
    Q_OBJECT

public:
    RunsPage(Theme& theme, RunList& runs, QWidget* parent = nullptr);
    void setRunSpec(const QString& id, const RunSpec& spec); // the answer to runSpecWanted
    void focusFilter();
    [[nodiscard]] int selectedCount() const;

signals:
    void openRunRequested(const QString& id);
    void launchAgainRequested(const RunSpec& spec);
    void exportRequested(const QString& id, const QString& format, const QString& path);
    void runSpecWanted(const QString& id); // its settings are to be compared
    void selectionChanged();

private:
    QWidget* makeHeader();
    void showSelected();
    void showCaption();
    void showTags();
    void applyFilters();
    void exportSelected();
    [[nodiscard]] QStringList selectedIds() const;

    Theme& m_theme;
    RunList& m_runs;
    RunModel* m_model;
    DataTable* m_table;
    OverlayPanel* m_overlay;
    QLabel* m_caption;
    Field* m_filter;
    Combo *m_state, *m_tag;
    QTimer* m_clock;
    QTimer* m_soon;
};

} // namespace lockstep::ui
