// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/deviceuse.h"

#include "core/clockoffset.h"

#include <QDateTime>

namespace lockstep {
namespace {

QString holderText(const DeviceProcess& holder)
{
    return QStringLiteral("%1 (%2, process %3)")
        .arg(holder.name.isEmpty() ? QStringLiteral("A program") : holder.name,
             holder.user.isEmpty() ? QStringLiteral("unknown user") : holder.user)
        .arg(holder.pid);
}

QString sinceText(const PlanNode& node, qint64 nodeWallUs) // by our clock; empty: unknown
{
    if (nodeWallUs <= 0 || !isTimeOfDay(nodeWallUs))
        return {};
    const qint64 wallUs = nodeWallUs - node.clock.offsetUs().value_or(0);
    return QStringLiteral(" since ") +
           QDateTime::fromMSecsSinceEpoch(wallUs / 1000).toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
}

// Two runs on one device train neither well nor, often, at all: refused unless it is asked for. None: no run has it.
std::optional<Problem> heldByRun(const RunSpec& spec, const PlanNode& node, const DeviceFacts& device)
{
    QString run, detail;
    for (const RunThere& there : node.facts->runs)
        if (run.isEmpty() && there.devices.contains(device.uuid)) {
            run = there.run;
            detail = QStringLiteral("The run %1 (yours) has it%2.").arg(run, sinceText(node, there.sinceWallUs));
        }
    for (const DeviceProcess& process : device.processes)
        if (run.isEmpty() && !process.run.isEmpty()) {
            run = process.run;
            detail = QStringLiteral("The run %1 has it: %2%3.")
                         .arg(run, holderText(process), sinceText(node, process.startedWallUs));
        }
    if (run.isEmpty())
        return std::nullopt;
    return Problem{spec.shareDevices ? Severity::Warning : Severity::Error, node.node.name,
                   QStringLiteral("Device %1 of %2 is held by another run").arg(device.index).arg(node.node.name),
                   spec.shareDevices
                       ? detail + QStringLiteral(" share_devices = true lets both use it.")
                       : detail + QStringLiteral(" Stop it (`lockstep stop %1`), choose other devices, or set "
                                                 "share_devices = true if both are meant.")
                                      .arg(run)};
}

QList<Problem> problemsOf(const RunSpec& spec, const PlanNode& node, const DeviceFacts& device)
{
    QList<Problem> problems;
    const QString& name = node.node.name;
    const auto problem = [&](Severity severity, const QString& title, const QString& detail) {
        problems.append({severity, name, title, detail});
    };
    if (!device.error.isEmpty())
        problem(Severity::Error, QStringLiteral("Device %1 of %2 can't be used").arg(device.index).arg(name),
                QStringLiteral("It says: %1. Name the others as its devices in the inventory, or choose other "
                               "nodes.")
                    .arg(device.error));
    if (device.mig)
        problem(Severity::Warning,
                QStringLiteral("Device %1 of %2 is cut into MIG instances").arg(device.index).arg(name),
                QStringLiteral("A rank would get one of them. Name the instances instead: devices = [\"MIG-…\"] in "
                               "[node.%1]; `nvidia-smi -L` lists them.")
                    .arg(name));
    if (const auto held = heldByRun(spec, node, device))
        problems.append(*held);
    else if (!device.processes.isEmpty())
        problem(Severity::Warning, QStringLiteral("Device %1 of %2 is in use").arg(device.index).arg(name),
                QStringLiteral("%1%2 runs on it%3.")
                    .arg(holderText(device.processes.first()),
                         device.processes.size() > 1 ? QStringLiteral(" and %1 more").arg(device.processes.size() - 1)
                                                     : QString(),
                         sinceText(node, device.processes.first().startedWallUs)));
    return problems;
}

} // namespace

QList<Problem> deviceProblems(const RunSpec& spec, const PlanNode& node, const QList<DeviceFacts>& devices)
{
    QList<Problem> problems;
    for (const DeviceFacts& device : devices)
        problems += problemsOf(spec, node, device);
    return problems;
}

QList<Problem> cpuProblems(const PlanNode& node) // two runs there only slow each other down
{
    QList<Problem> problems;
    if (!node.facts)
        return problems;
    for (const RunThere& there : node.facts->runs)
        if (there.devices.isEmpty())
            problems.append({Severity::Warning, node.node.name,
                             QStringLiteral("%1 also runs %2").arg(node.node.name, there.run),
                             QStringLiteral("It holds the CPU with %1%2; both will be slower.")
                                 .arg(there.ranks == 1  ? QStringLiteral("1 rank")
                                      : there.ranks > 0 ? QStringLiteral("%1 ranks").arg(there.ranks)
                                                        : QStringLiteral("its ranks"),
                                      sinceText(node, there.sinceWallUs))});
    return problems;
}

} // namespace lockstep
