// SPDX-License-Identifier: GPL-3.0-or-later
// The launch table over a plan: one row a node, every cell a value and where it comes from. Thread: GUI.
#pragma once

#include "core/launchplan.h"
#include "ui/widgets/cellmodel.h"

namespace lockstep::ui {

class LaunchModel : public CellModel {
    Q_OBJECT

public:
    enum Column {
        Node,
        NodeRank,
        Ranks,
        Devices,
        Cpus,
        Master,
        Interface,
        BackendColumn,
        Clock,
        Runtime,
        Problems,
        ColumnCount
    };

    explicit LaunchModel(QObject* parent = nullptr);
    void setPlan(const LaunchPlan& plan); // tells only the rows that differ while the nodes stay the same
    [[nodiscard]] const LaunchPlan& plan() const { return m_plan; }
    // The value behind a cell; Node and Problems have none of their own.
    [[nodiscard]] const Sourced* sourced(int row, int column) const;

private:
    [[nodiscard]] int rowsShown() const override;
    [[nodiscard]] Cell cellAt(int row, int column) const override;
    [[nodiscard]] QVariant sortKeyAt(int row, int column) const override;
    [[nodiscard]] QString hintAt(int row, int column) const override;
    [[nodiscard]] Cell problemsCell(const QString& node) const;

    LaunchPlan m_plan;
};

} // namespace lockstep::ui
