// SPDX-License-Identifier: GPL-3.0-or-later
// The launch table over a plan: one row a node, every cell a value and where it comes from. Thread: GUI.
#pragma once

#include "core/launchplan.h"
#include "ui/widgets/cell.h"

#include <QAbstractTableModel>

namespace lockstep::ui {

class LaunchModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Node, NodeRank, Ranks, Devices, Master, Interface, BackendColumn, Runtime, Problems, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    void setPlan(const LaunchPlan& plan); // tells only the rows that differ while the nodes stay the same
    [[nodiscard]] const LaunchPlan& plan() const { return m_plan; }
    // The value behind a cell; Node and Problems have none of their own.
    [[nodiscard]] const Sourced* sourced(int row, int column) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] Cell cell(int row, int column) const;
    [[nodiscard]] Cell problemsCell(const QString& node) const;

    LaunchPlan m_plan;
};

} // namespace lockstep::ui
