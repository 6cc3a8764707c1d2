// SPDX-License-Identifier: GPL-3.0-or-later
// The Runs table over RunList, newest first. Thread: GUI. Changes are told for the row that changed.
#pragma once

#include "core/runlist.h"
#include "ui/widgets/cell.h"

#include <QAbstractTableModel>
#include <QHash>

namespace lockstep::ui {

class RunModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Name, State, Shape, Started, Duration, LastLoss, Loss, Tags, Note, ColumnCount };

    explicit RunModel(const RunList& runs, QObject* parent = nullptr);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    [[nodiscard]] const RunSummary* run(int row) const;
    void setSeries(const QHash<QString, int>& numbers); // id -> series number of the selected runs
    void tick();                                        // live runs have grown older

private:
    [[nodiscard]] Cell cell(const RunSummary& run, int column) const;
    [[nodiscard]] QVariant sortKey(const RunSummary& run, int column) const;

    const RunList& m_runs;
    QHash<QString, int> m_series;
    int m_rows = 0;
};

} // namespace lockstep::ui
