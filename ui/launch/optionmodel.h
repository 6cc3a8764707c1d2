// SPDX-License-Identifier: GPL-3.0-or-later
// Every option of the bundled trainer with its value under a spec, one row each. Thread: GUI.
#pragma once

#include "core/traineroptions.h"
#include "ui/widgets/cell.h"

#include <QAbstractTableModel>

namespace lockstep::ui {

class OptionModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Part, Option, Value, Meaning, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    void setSpec(const RunSpec& spec);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

signals:
    void edited(const QString& name, const QString& value); // empty: as the trainer likes it

private:
    RunSpec m_spec;
};

} // namespace lockstep::ui
