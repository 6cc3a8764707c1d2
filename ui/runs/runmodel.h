// SPDX-License-Identifier: GPL-3.0-or-later
// The Runs table over RunList, newest first. Thread: GUI. Changes are told for the row that changed.
#pragma once

#include "core/runlist.h"
#include "ui/widgets/cellmodel.h"

#include <QHash>

namespace lockstep::ui {

class RunModel : public CellModel {
    Q_OBJECT

public:
    enum Column { Name, State, Shape, Started, Duration, LastLoss, Loss, Tags, Note, ColumnCount };

    explicit RunModel(const RunList& runs, QObject* parent = nullptr);

    [[nodiscard]] const RunSummary* run(int row) const;
    void setSeries(const QHash<QString, int>& numbers); // id -> series number of the selected runs
    void tick();                                        // live runs have grown older

private:
    [[nodiscard]] int rowsShown() const override;
    [[nodiscard]] Cell cellAt(int row, int column) const override;
    [[nodiscard]] QVariant sortKeyAt(int row, int column) const override;
    [[nodiscard]] QString hintAt(int row, int column) const override;

    const RunList& m_runs;
    QHash<QString, int> m_series;
    int m_rows = 0;
};

} // namespace lockstep::ui
