// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/devicechoice.h"

#include <algorithm>

namespace lockstep {
namespace {

QString deviceList(const QList<DeviceFacts>& devices)
{
    QStringList names;
    for (const DeviceFacts& device : devices)
        names.append(QStringLiteral("%1 (%2)").arg(device.index).arg(device.uuid));
    return names.isEmpty() ? QStringLiteral("no device") : names.join(QLatin1String(", "));
}

// By the driver's number, or by a uuid or its beginning; an instance of a partitioned device only by its uuid.
QList<DeviceFacts> devicesNamed(const QString& name, const QList<DeviceFacts>& known)
{
    if (name.startsWith(QLatin1String("MIG-"))) {
        DeviceFacts instance;
        instance.uuid = name;
        instance.name = QStringLiteral("MIG instance");
        return {instance};
    }
    bool isIndex = false;
    const int index = name.toInt(&isIndex);
    QList<DeviceFacts> found;
    for (const DeviceFacts& device : known)
        if (isIndex ? device.index == index : !name.isEmpty() && device.uuid.startsWith(name))
            found.append(device);
    return found;
}

// One of each name; the others are problems.
void take(ChosenDevices& chosen, const PlanNode& node, const QStringList& names, const QString& chooser)
{
    const auto problem = [&](const QString& title, const QString& detail) {
        chosen.problems.append({Severity::Error, node.node.name, title, detail});
    };
    const QList<DeviceFacts>& known = node.facts->devices;
    for (const QString& name : names) {
        const QList<DeviceFacts> found = devicesNamed(name, known);
        if (found.size() != 1)
            problem(found.isEmpty() ? QStringLiteral("%1 has no device %2").arg(node.node.name, name)
                                    : QStringLiteral("%1 has several devices %2…").arg(node.node.name, name),
                    QStringLiteral("%1 names it; the node has %2.").arg(chooser, deviceList(known)));
        else if (std::any_of(chosen.devices.begin(), chosen.devices.end(),
                             [&](const DeviceFacts& one) { return one.uuid == found.first().uuid; }))
            problem(QStringLiteral("Device %1 of %2 is named twice").arg(name, node.node.name),
                    QStringLiteral("For several ranks on a device set ranks_per_device."));
        else
            chosen.devices.append(found.first());
    }
}

} // namespace

ChosenDevices chooseDevices(const RunSpec& spec, const PlanNode& node)
{
    const NodeSettings* settings = spec.settingsOf(node.node.name);
    QStringList names = settings ? settings->devices : QStringList();
    const QString chooser = names.isEmpty() ? QStringLiteral("The inventory") : QStringLiteral("The spec");
    if (names.isEmpty())
        for (const int index : node.node.devices)
            names.append(QString::number(index));
    ChosenDevices chosen;
    chosen.named = static_cast<int>(names.size());
    if (node.facts && names.isEmpty())
        chosen.devices = node.facts->devices;
    else if (node.facts)
        take(chosen, node, names, chooser);
    return chosen;
}

} // namespace lockstep
