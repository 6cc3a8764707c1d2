// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/nodes/devicemodel.h"

#include "ui/nodes/nodewords.h"
#include "ui/plots/figures.h"

#include <algorithm>

namespace lockstep::ui {

namespace {

constexpr double kGibi = 1024.0 * 1024.0 * 1024.0;
constexpr double kHotCelsius = 83; // where data-centre parts begin to clock down

QString rounded(double value)
{
    return value < 0 ? QStringLiteral("–") : figures::decimal(value, 0);
}

QString processText(const DeviceProcess& process)
{
    return QStringLiteral("%1, pid %2, %3").arg(process.name).arg(process.pid).arg(process.user);
}

bool sameDevices(const QList<DeviceFacts>& a, const QList<DeviceFacts>& b)
{
    return std::ranges::equal(a, b, {}, &DeviceFacts::uuid, &DeviceFacts::uuid);
}

} // namespace

DeviceModel::DeviceModel(QObject* parent)
    : CellModel({{"#", Qt::AlignRight},
                 {"device"},
                 {"uuid"},
                 {"utilisation"},
                 {"memory, GiB"},
                 {"°C", Qt::AlignRight},
                 {"W", Qt::AlignRight},
                 {"runs on it"}},
                parent)
{
}

void DeviceModel::setNode(const NodeState& state)
{
    const QList<DeviceFacts> devices = state.facts ? state.facts->devices : QList<DeviceFacts>();
    if (state.node.name == m_state.node.name && sameDevices(devices, m_devices)) {
        m_state = state;
        m_devices = devices;
        if (!devices.isEmpty())
            emit dataChanged(index(0, Utilisation), index(static_cast<int>(devices.size()) - 1, RunsOnIt));
        return;
    }
    beginResetModel();
    m_state = state;
    m_devices = devices;
    endResetModel();
}

int DeviceModel::rowsShown() const
{
    return static_cast<int>(m_devices.size());
}

Cell DeviceModel::cellAt(int row, int column) const
{
    const DeviceFacts& device = m_devices.at(row);
    const CoreSample* sample = sampleOf(m_state, QStringLiteral("gpu:") + device.uuid);
    Cell cell;
    cell.text = QStringLiteral("–");
    switch (static_cast<Column>(column)) {
    case Index:
        cell.text = QString::number(device.index);
        break;
    case Device:
        cell.text = shortDeviceName(device.name);
        break;
    case Uuid:
        cell.text = device.uuid;
        cell.font = FontRole::Mono;
        break;
    case Utilisation:
        if (sample && sample->util >= 0) {
            cell.bar = sample->util / 100;
            cell.text = figures::percent(sample->util / 100);
        }
        break;
    case Memory:
        if (sample && sample->memUsed >= 0 && sample->memTotal > 0) {
            cell.bar = sample->memUsed / sample->memTotal;
            cell.text =
                QStringLiteral("%1 of %2")
                    .arg(figures::decimal(sample->memUsed / kGibi, 1), figures::decimal(sample->memTotal / kGibi, 0));
        }
        break;
    case Celsius:
        cell.text = rounded(sample ? sample->tempC : -1);
        if (sample && sample->tempC >= kHotCelsius) {
            cell.tone = Tone::Warn;
            cell.font = FontRole::CellStrong;
        }
        break;
    case Watts:
        cell.text = rounded(sample ? sample->powerW : -1);
        break;
    case RunsOnIt: {
        QStringList processes;
        for (const DeviceProcess& process : device.processes)
            processes.append(processText(process));
        cell.text = processes.isEmpty() ? QStringLiteral("free") : processes.join(QStringLiteral("; "));
        if (processes.isEmpty())
            cell.tone = Tone::Text2;
        break;
    }
    case ColumnCount:
        break;
    }
    return cell;
}

QVariant DeviceModel::sortKeyAt(int row, int column) const
{
    const DeviceFacts& device = m_devices.at(row);
    const CoreSample* sample = sampleOf(m_state, QStringLiteral("gpu:") + device.uuid);
    switch (static_cast<Column>(column)) {
    case Index:
        return static_cast<double>(device.index);
    case Utilisation:
        return sample ? sample->util : -1.0;
    case Memory:
        return sample ? sample->memUsed : -1.0;
    case Celsius:
        return sample ? sample->tempC : -1.0;
    case Watts:
        return sample ? sample->powerW : -1.0;
    case Device:
    case Uuid:
    case RunsOnIt:
    case ColumnCount:
        break;
    }
    return {};
}

QString DeviceModel::hintAt(int row, int column) const
{
    return column == Uuid || column == RunsOnIt ? cellAt(row, column).text : QString();
}

} // namespace lockstep::ui
