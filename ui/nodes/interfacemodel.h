// SPDX-License-Identifier: GPL-3.0-or-later
// The network interfaces of one node, as last probed. Thread: GUI.
#pragma once

#include "core/nodefacts.h"
#include "ui/widgets/cellmodel.h"

namespace lockstep::ui {

class InterfaceModel : public CellModel {
    Q_OBJECT

public:
    enum Column { Name, Addresses, Speed, Use, ColumnCount };

    explicit InterfaceModel(QObject* parent = nullptr);
    void setInterfaces(const QList<NetInterface>& interfaces); // those with an IPv4 address first, loopback last

private:
    [[nodiscard]] int rowsShown() const override;
    [[nodiscard]] Cell cellAt(int row, int column) const override;

    QList<NetInterface> m_interfaces;
};

} // namespace lockstep::ui
