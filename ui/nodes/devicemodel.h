// SPDX-License-Identifier: GPL-3.0-or-later
// The devices of one node with their newest samples and what runs on them. Thread: GUI.
#pragma once

#include "core/nodestate.h"
#include "ui/widgets/cellmodel.h"

namespace lockstep::ui {

class DeviceModel : public CellModel {
    Q_OBJECT

public:
    enum Column { Index, Device, Uuid, Utilisation, Memory, Celsius, Watts, RunsOnIt, ColumnCount };

    explicit DeviceModel(QObject* parent = nullptr);
    void setNode(const NodeState& state); // resets only when the devices themselves differ

private:
    [[nodiscard]] int rowsShown() const override;
    [[nodiscard]] Cell cellAt(int row, int column) const override;
    [[nodiscard]] QVariant sortKeyAt(int row, int column) const override;
    [[nodiscard]] QString hintAt(int row, int column) const override;

    NodeState m_state;
    QList<DeviceFacts> m_devices;
};

} // namespace lockstep::ui
