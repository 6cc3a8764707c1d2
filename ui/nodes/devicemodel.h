// SPDX-License-Identifier: GPL-3.0-or-later
// The devices of one node with their newest samples and what runs on them. Thread: GUI.
#pragma once

#include "core/nodestate.h"
#include "ui/widgets/cell.h"

#include <QAbstractTableModel>

namespace lockstep::ui {

class DeviceModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Index, Device, Uuid, Utilisation, Memory, Celsius, Watts, RunsOnIt, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    void setNode(const NodeState& state); // resets only when the devices themselves differ

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] Cell cell(const DeviceFacts& device, int column) const;
    [[nodiscard]] QVariant sortKey(const DeviceFacts& device, int column) const;

    NodeState m_state;
    QList<DeviceFacts> m_devices;
};

} // namespace lockstep::ui
