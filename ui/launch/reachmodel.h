// SPDX-License-Identifier: GPL-3.0-or-later
// The ways to the master that were tried or left out, one row each. Thread: GUI.
#pragma once

#include "core/launchplan.h"
#include "ui/widgets/cell.h"

#include <QAbstractTableModel>

namespace lockstep::ui {

class ReachModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Address, Result, Detail, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    void setTries(const QList<ReachTry>& tries);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    QList<ReachTry> m_tries;
};

} // namespace lockstep::ui
