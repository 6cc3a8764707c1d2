// SPDX-License-Identifier: GPL-3.0-or-later
// The Nodes table over NodeList and the open runs. Thread: GUI. Changes are told for the row that changed.
#pragma once

#include "core/nodestate.h"
#include "core/runlist.h"
#include "ui/widgets/cellmodel.h"

namespace lockstep::ui {

class NodeModel : public CellModel {
    Q_OBJECT

public:
    enum Column { Name, Address, State, Devices, Driver, Clock, Tags, Runtime, ColumnCount };

    NodeModel(const NodeList& nodes, const RunList& runs, QObject* parent = nullptr);

    [[nodiscard]] const NodeState* node(int row) const;
    [[nodiscard]] int rowOf(const QString& name) const;
    void refresh(); // the runs on the nodes may have changed

private:
    [[nodiscard]] int rowsShown() const override;
    [[nodiscard]] Cell cellAt(int row, int column) const override;
    [[nodiscard]] QVariant sortKeyAt(int row, int column) const override;
    [[nodiscard]] QString hintAt(int row, int column) const override;

    const NodeList& m_nodes;
    const RunList& m_runs;
    int m_rows = 0; // as last told; between two signals the list may be ahead
};

} // namespace lockstep::ui
