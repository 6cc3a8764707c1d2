// SPDX-License-Identifier: GPL-3.0-or-later
// What the ranks said of themselves: model, resolved configuration, buckets, device, versions. Thread: GUI.
#pragma once

#include "core/rundata.h"
#include "ui/theme.h"

#include <QWidget>

namespace lockstep::ui {

class DataTable;
class FactsModel;

class FactsPanel : public QWidget {
    Q_OBJECT

public:
    FactsPanel(Theme& theme, const RunData& run, QWidget* parent = nullptr);
    void refresh();

protected:
    void showEvent(QShowEvent* event) override;

private:
    const RunData& m_run;
    FactsModel* m_model;
};

} // namespace lockstep::ui
