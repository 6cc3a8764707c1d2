// SPDX-License-Identifier: GPL-3.0-or-later
// The Nodes table over NodeList and the open runs. Thread: GUI. Changes are told for the row that changed.
#pragma once

#include "core/nodestate.h"
#include "core/runlist.h"
#include "ui/widgets/cell.h"

#include <QAbstractTableModel>

namespace lockstep::ui {

class NodeModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Name, Address, State, Devices, Driver, Clock, Tags, Runtime, ColumnCount };

    NodeModel(const NodeList& nodes, const RunList& runs, QObject* parent = nullptr);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    [[nodiscard]] const NodeState* node(int row) const;
    [[nodiscard]] int rowOf(const QString& name) const;
    void refresh(); // the runs on the nodes may have changed

private:
    [[nodiscard]] Cell cell(const NodeState& state, int column) const;
    [[nodiscard]] QVariant sortKey(const NodeState& state, int row, int column) const;

    const NodeList& m_nodes;
    const RunList& m_runs;
    int m_rows = 0; // as last told; between two signals the list may be ahead
};

} // namespace lockstep::ui
