// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/nodes/interfacemodel.h"

#include "ui/nodes/nodewords.h"
#include "ui/plots/figures.h"

#include <algorithm>

namespace lockstep::ui {

namespace {

QString speedText(int mbps)
{
    if (mbps <= 0)
        return QStringLiteral("–");
    if (mbps >= 1000)
        return figures::decimal(mbps / 1000.0, mbps % 1000 == 0 ? 0 : 1) + QStringLiteral(" Gb/s");
    return QStringLiteral("%1 Mb/s").arg(mbps);
}

QString addressesText(const NetInterface& interface)
{
    QStringList shown;
    for (const QString& address : interface.addresses)
        if (!address.startsWith(QLatin1String("fe80:"))) // link-local: every interface has one and no job uses it
            shown.append(address);
    return shown.isEmpty() ? QStringLiteral("–") : shown.join(QStringLiteral(", "));
}

int order(const NetInterface& interface)
{
    if (interface.loopback)
        return 3;
    if (!interface.up || interface.addresses.isEmpty())
        return 2;
    return interfaceUse(interface) == QLatin1String("up") ? 0 : 1;
}

} // namespace

InterfaceModel::InterfaceModel(QObject* parent) : CellModel({{"interface"}, {"address"}, {"speed"}, {"use"}}, parent) {}

void InterfaceModel::setInterfaces(const QList<NetInterface>& interfaces)
{
    QList<NetInterface> sorted = interfaces;
    std::ranges::stable_sort(sorted, [](const NetInterface& a, const NetInterface& b) {
        return order(a) != order(b) ? order(a) < order(b) : a.speedMbps > b.speedMbps;
    });
    if (sorted == m_interfaces)
        return;
    beginResetModel();
    m_interfaces = sorted;
    endResetModel();
}

int InterfaceModel::rowsShown() const
{
    return static_cast<int>(m_interfaces.size());
}

Cell InterfaceModel::cellAt(int row, int column) const
{
    const NetInterface& interface = m_interfaces.at(row);
    Cell cell;
    switch (static_cast<Column>(column)) {
    case Name:
        cell.text = interface.name;
        break;
    case Addresses:
        cell.text = addressesText(interface);
        break;
    case Speed:
        cell.text = speedText(interface.speedMbps);
        break;
    case Use:
        cell.text = interfaceUse(interface);
        if (order(interface) > 0)
            cell.tone = Tone::Text2;
        break;
    case ColumnCount:
        break;
    }
    return cell;
}

} // namespace lockstep::ui
