// SPDX-License-Identifier: GPL-3.0-or-later
// Every option of the bundled trainer with its value under a spec, one row each. Thread: GUI.
#pragma once

#include "core/traineroptions.h"
#include "ui/widgets/cellmodel.h"

namespace lockstep::ui {

class OptionModel : public CellModel {
    Q_OBJECT

public:
    enum Column { Part, Option, Value, Meaning, ColumnCount };

    explicit OptionModel(QObject* parent = nullptr);
    void setSpec(const RunSpec& spec);

    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

signals:
    void edited(const QString& name, const QString& value); // empty: as the trainer likes it

private:
    [[nodiscard]] int rowsShown() const override;
    [[nodiscard]] Cell cellAt(int row, int column) const override;
    [[nodiscard]] QString hintAt(int row, int column) const override;

    RunSpec m_spec;
};

} // namespace lockstep::ui
