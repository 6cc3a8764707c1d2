// SPDX-License-Identifier: GPL-3.0-or-later
// Below the Runs table: the selected runs over each other, and what differs between them. Asks by signals. Thread: GUI.
#pragma once

#include "core/runlist.h"
#include "ui/theme.h"

#include <QHash>
#include <QWidget>

class QHBoxLayout;
class QLabel;

namespace lockstep::ui {

class Button;
class Comparison;
class DataTable;
class ElidedLabel;
class OverlayPlot;
class PanelHeader;

class OverlayPanel : public QWidget {
    Q_OBJECT

public:
    OverlayPanel(Theme& theme, const RunList& runs, QWidget* parent = nullptr);
    void setSelected(const QStringList& ids);
    void setRunSpec(const QString& id, const RunSpec& spec);
    void refresh(); // the runs' own data have changed

signals:
    void openRunRequested(const QString& id);
    void launchAgainRequested(const RunSpec& spec);

private:
    QWidget* makePlotSide();
    QWidget* makeDifferences();
    void showDifferences(const QList<RunSummary>& runs);
    void showButtons(const QList<RunSummary>& runs);

    Theme& m_theme;
    const RunList& m_runs;
    QStringList m_selected;
    QHash<QString, RunSpec> m_specs;
    QLabel *m_title, *m_legendTitle, *m_points;
    ElidedLabel* m_legend;
    Button *m_log, *m_all;
    OverlayPlot* m_plot;
    Comparison* m_comparison;
    DataTable* m_table;
    PanelHeader* m_differs;
    QHBoxLayout* m_buttons;
};

} // namespace lockstep::ui
