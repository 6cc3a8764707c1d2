// SPDX-License-Identifier: GPL-3.0-or-later
// RunFacts as rows: name, value, who said it. Thread: GUI.
#pragma once

#include "core/runfacts.h"
#include "ui/widgets/cell.h"

#include <QAbstractTableModel>

namespace lockstep::ui {

class FactsModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Name, Value, Ranks, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    void setFacts(const QList<RunFact>& facts);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    QList<RunFact> m_facts;
};

} // namespace lockstep::ui
