// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/nodes/machinerows.h"

#include "ui/nodes/nodewords.h"
#include "ui/plots/figures.h"

namespace lockstep::ui {

namespace {

constexpr qint64 kDayS = 86400, kHourS = 3600;
constexpr double kGiga = 1e9, kTera = 1e12;

QString diskSize(qint64 bytes)
{
    const auto size = static_cast<double>(bytes);
    return size >= kTera ? figures::decimal(size / kTera, 1) + QStringLiteral(" TB")
                         : figures::decimal(size / kGiga, 0) + QStringLiteral(" GB");
}

QString memoryText(const NodeFacts& facts)
{
    if (facts.memoryBytes < 0)
        return QStringLiteral("–");
    QString whole = figures::gibibytes(static_cast<double>(facts.memoryBytes), 0);
    if (facts.memoryFreeBytes < 0)
        return whole;
    return QStringLiteral("%1, %2 used")
        .arg(whole, figures::gibibytes(static_cast<double>(facts.memoryBytes - facts.memoryFreeBytes), 0));
}

QString diskText(const NodeFacts& facts)
{
    QStringList parts;
    if (facts.runsFreeBytes >= 0)
        parts.append(QStringLiteral("/var/tmp %1 free").arg(diskSize(facts.runsFreeBytes)));
    if (facts.cacheFreeBytes >= 0)
        parts.append(QStringLiteral("~/.cache %1 free").arg(diskSize(facts.cacheFreeBytes)));
    return parts.isEmpty() ? QStringLiteral("–") : parts.join(QStringLiteral(" · "));
}

QString interfacesText(const NodeFacts& facts)
{
    QStringList parts;
    for (const NetInterface& interface : facts.interfaces) {
        if (!interface.up)
            continue;
        parts.append(interface.loopback || interface.addresses.isEmpty()
                         ? interface.name
                         : QStringLiteral("%1 %2").arg(interface.name, interface.addresses.first()));
    }
    return parts.isEmpty() ? QStringLiteral("none is up") : parts.join(QStringLiteral(", "));
}

QString limitsText(const NodeFacts& facts)
{
    QStringList parts;
    parts.append(
        facts.memlockLimit < 0
            ? QStringLiteral("locked memory unlimited")
            : QStringLiteral("locked memory %1").arg(figures::gibibytes(static_cast<double>(facts.memlockLimit), 0)));
    if (facts.openFilesLimit >= 0)
        parts.append(QStringLiteral("%1 open files").arg(figures::grouped(facts.openFilesLimit)));
    return parts.join(QStringLiteral(", "));
}

QString clockRow(const NodeState& state)
{
    if (state.node.local)
        return QStringLiteral("this machine's own");
    if (!state.clockOffsetMs)
        return QStringLiteral("not measured yet");
    return QStringLiteral("%1 ± %2").arg(clockText(state), figures::decimal(state.clockErrorMs, 1));
}

} // namespace

QList<QPair<QString, QString>> machineRows(const NodeState& state, MachineForm form)
{
    QList<QPair<QString, QString>> rows;
    if (!state.facts) {
        rows.append({QStringLiteral("machine"), QStringLiteral("not seen yet")});
        return rows;
    }
    const NodeFacts& facts = *state.facts;
    const QString cores = QStringLiteral("%1 cores").arg(facts.cores);
    if (form == MachineForm::BesideDevices) {
        rows.append({QStringLiteral("CPU, memory"), QStringLiteral("%1, %2").arg(cores, memoryText(facts))});
    } else {
        rows.append({QStringLiteral("devices"), facts.cpu.isEmpty()
                                                    ? QStringLiteral("CPU, %1").arg(cores)
                                                    : QStringLiteral("CPU, %1, %2").arg(cores, facts.cpu)});
        rows.append({QStringLiteral("memory"), memoryText(facts)});
    }
    rows.append({QStringLiteral("disk"), diskText(facts)});
    if (form == MachineForm::WithoutDevices)
        rows.append({QStringLiteral("interfaces"), interfacesText(facts)});
    rows.append({QStringLiteral("limits"), limitsText(facts)});
    rows.append(
        {QStringLiteral("deployed"), state.deployed.isEmpty() ? QStringLiteral("nothing yet") : state.deployed});
    if (!facts.fashionMnist.isEmpty())
        rows.append({QStringLiteral("data"), QStringLiteral("Fashion-MNIST in %1").arg(facts.fashionMnist)});
    if (facts.devices.isEmpty())
        rows.append({QStringLiteral("GPU"), facts.gpuNote.isEmpty() ? QStringLiteral("none found") : facts.gpuNote});
    if (!state.node.local) {
        rows.append({QStringLiteral("clock"), clockRow(state)});
        if (!state.signedInWith.isEmpty())
            rows.append({QStringLiteral("signed in with"), state.signedInWith});
    }
    return rows;
}

QString systemSentence(const NodeState& state)
{
    if (state.phase == NodePhase::NeedsPassphrase)
        return QStringLiteral("Run ssh-add in a terminal, then press Check: Lockstep takes the key from the agent and "
                              "never asks for a passphrase");
    if (!state.facts)
        return state.node.local
                   ? QStringLiteral("needs no SSH; ranks started here are children of an agent on this machine")
                   : QString();
    const NodeFacts& facts = *state.facts;
    if (state.node.local)
        return QStringLiteral("needs no SSH; ranks started here are children of an agent on this machine");
    QStringList parts;
    if (!facts.os.isEmpty())
        parts.append(facts.os);
    if (!facts.kernel.isEmpty())
        parts.append(QStringLiteral("kernel %1").arg(facts.kernel.section(QLatin1Char('.'), 0, 1)));
    if (!facts.glibc.isEmpty())
        parts.append(QStringLiteral("glibc %1").arg(facts.glibc));
    if (facts.uptimeS >= kDayS)
        parts.append(QStringLiteral("up %1 days").arg(facts.uptimeS / kDayS));
    else if (facts.uptimeS >= 0)
        parts.append(QStringLiteral("up %1 h").arg(facts.uptimeS / kHourS));
    return parts.join(QStringLiteral(", "));
}

} // namespace lockstep::ui
