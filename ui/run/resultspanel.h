// SPDX-License-Identifier: GPL-3.0-or-later
// The files that are fetched of a run's nodes: which, how large, how much of each is here. While it is seen it asks for
// news by `wanted`. Thread: GUI.
#pragma once

#include "core/resultsshelf.h"
#include "core/rundata.h"
#include "ui/theme.h"

#include <QTimer>
#include <QWidget>

namespace lockstep::ui {

class Button;
class DataTable;
class ElidedLabel;
class PanelHeader;
class ResultsModel;

class ResultsPanel : public QWidget {
    Q_OBJECT

public:
    ResultsPanel(Theme& theme, const RunData& run, QWidget* parent = nullptr);
    void setResults(const RunResults& results);

signals:
    void wanted();                                 // answered by setResults
    void fetchRequested();                         // what is missing here, once more
    void openFolderRequested(const QString& path); // all, or that of one file

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void showCounts();

    const RunData& m_run;
    RunResults m_results;
    ResultsModel* m_model;
    PanelHeader* m_header;
    Button *m_open, *m_fetch;
    DataTable* m_table;
    ElidedLabel* m_missing;
    QTimer m_news;
};

} // namespace lockstep::ui
