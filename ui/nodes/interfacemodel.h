// SPDX-License-Identifier: GPL-3.0-or-later
// The network interfaces of one node, as last probed. Thread: GUI.
#pragma once

#include "core/nodefacts.h"
#include "ui/widgets/cell.h"

#include <QAbstractTableModel>

namespace lockstep::ui {

class InterfaceModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Name, Addresses, Speed, Use, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    void setInterfaces(const QList<NetInterface>& interfaces); // those with an IPv4 address first, loopback last

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QList<NetInterface> m_interfaces;
};

} // namespace lockstep::ui
