// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nodehealth.h"

#include "core/nodeaddress.h"

#include <QMap>

#include <algorithm>
#include <cmath>

namespace lockstep {
namespace {

constexpr qint64 kLeastOpenFiles = 4096;      // 8 ranks with loaders, sockets and pipes need some hundred each
constexpr qint64 kLeastLockedBytes = 1 << 30; // what RDMA registers for NCCL
constexpr qint64 kLeastFreeBytes = 1 << 30;   // runs and their records

class Health {
public:
    explicit Health(const PlanNode& node) : m_node(node), m_facts(*node.facts) {}

    QList<Problem> check()
    {
        login();
        names();
        adapters();
        gpus();
        limits();
        disks();
        return m_problems;
    }

private:
    void say(Severity severity, const QString& title, const QString& detail)
    {
        m_problems.append({severity, m_node.node.name, title, detail});
    }
    [[nodiscard]] const QString& name() const { return m_node.node.name; }

    void login()
    {
        if (m_facts.killUserProcesses == Told::Yes && m_facts.linger == Told::No && m_facts.loginSession == Told::Yes)
            say(Severity::Warning, QStringLiteral("%1 ends what a user leaves running").arg(name()),
                QStringLiteral("Its login manager has KillUserProcesses=yes, and %1 no linger: the ranks end when this "
                               "desktop's last connection does. `loginctl enable-linger` there keeps them.")
                    .arg(m_facts.user));
    }

    void names()
    {
        QStringList loopback;
        for (const QString& address : m_facts.selfAddresses)
            if (isLoopbackAddress(address))
                loopback.append(address);
        if (!m_facts.selfError.isEmpty())
            say(Severity::Note, QStringLiteral("%1 can't resolve its own name %2").arg(name(), m_facts.host),
                QStringLiteral("It says: %1. The ranks get numeric addresses and don't need it; other programs may.")
                    .arg(m_facts.selfError));
        else if (!loopback.isEmpty())
            say(Severity::Note,
                QStringLiteral("%1 resolves its own name to %2").arg(name(), loopback.join(QLatin1String(", "))),
                QStringLiteral("Gloo would meet nobody there, so the ranks are told the address and the interface."));
        const auto& localhost = m_facts.localhostAddresses;
        if (std::any_of(localhost.begin(), localhost.end(),
                        [](const QString& address) { return !isLoopbackAddress(address); }))
            say(Severity::Warning, QStringLiteral("localhost is not loopback on %1").arg(name()),
                QStringLiteral("Its hosts file says %1; programs that meet on localhost will not.")
                    .arg(localhost.join(QLatin1String(", "))));
    }

    void adapters()
    {
        QStringList down, up;
        for (const IbPort& port : m_facts.ibPorts) {
            const QString shown =
                QStringLiteral("%1 port %2 (%3, %4)")
                    .arg(port.device)
                    .arg(port.port)
                    .arg(port.state.isEmpty() ? QStringLiteral("state unknown") : port.state, port.physical);
            (port.state == QLatin1String("Active") ? up : down).append(shown);
        }
        if (!down.isEmpty())
            say(up.isEmpty() ? Severity::Note : Severity::Warning,
                QStringLiteral("%1 of %2 InfiniBand or RoCE ports of %3 are not active")
                    .arg(down.size())
                    .arg(down.size() + up.size())
                    .arg(name()),
                up.isEmpty() ? QStringLiteral("%1. NCCL will use sockets.").arg(down.join(QLatin1String(", ")))
                             : QStringLiteral("%1. NCCL uses the others, and the slowest rank sets the pace.")
                                   .arg(down.join(QLatin1String(", "))));
        const bool locked = m_facts.memlockLimit >= 0 && m_facts.memlockLimit < kLeastLockedBytes;
        if (!up.isEmpty() && locked && m_facts.user != QLatin1String("root"))
            say(Severity::Warning,
                QStringLiteral("%1 lets %2 lock only %3 MiB of memory")
                    .arg(name(), m_facts.user)
                    .arg(m_facts.memlockLimit >> 20),
                QStringLiteral("NCCL over InfiniBand needs more (`ulimit -l unlimited`)."));
    }

    void gpus()
    {
        for (const DeviceFacts& device : m_facts.devices)
            if (!device.error.isEmpty())
                say(Severity::Note, QStringLiteral("Device %1 of %2 can't be used").arg(device.index).arg(name()),
                    device.error);
    }

    void limits()
    {
        if (m_facts.openFilesLimit >= 0 && m_facts.openFilesLimit < kLeastOpenFiles)
            say(Severity::Note, QStringLiteral("%1 allows %2 open files").arg(name()).arg(m_facts.openFilesLimit),
                QStringLiteral("Many ranks with many loaders need more (`ulimit -n`)."));
        if (m_facts.cpuQuota > 0 && m_facts.cpuQuota < m_facts.cores)
            say(Severity::Note,
                QStringLiteral("A control group gives %1 cores' time of %2 on %3")
                    .arg(m_facts.cpuQuota)
                    .arg(m_facts.cores)
                    .arg(name()),
                QStringLiteral("The ranks' threads are counted by that."));
    }

    void disks()
    {
        if (m_facts.runsFreeBytes >= 0 && m_facts.runsFreeBytes < kLeastFreeBytes)
            say(Severity::Warning,
                QStringLiteral("%1 has %2 MiB free for runs").arg(name()).arg(m_facts.runsFreeBytes >> 20),
                QStringLiteral("Their records lie in %1.").arg(m_facts.runsFolder));
    }

    const PlanNode& m_node;
    const NodeFacts& m_facts;
    QList<Problem> m_problems;
};

// Kinds of file systems that are of one machine: equal markers on two machines are clones.
bool isLocalKind(const QString& kind)
{
    static const QStringList kLocal{QStringLiteral("ext4"),  QStringLiteral("xfs"),     QStringLiteral("btrfs"),
                                    QStringLiteral("tmpfs"), QStringLiteral("overlay"), QStringLiteral("zfs"),
                                    QStringLiteral("f2fs")};
    return kLocal.contains(kind);
}

void checkClocks(const QList<PlanNode>& nodes, QList<Problem>& problems)
{
    const auto first = nodes.isEmpty() ? std::nullopt : nodes[0].clock.offsetUs();
    for (qsizetype i = 1; first && i < nodes.size(); ++i) {
        const auto offset = nodes[i].clock.offsetUs();
        if (!offset)
            continue;
        const double apartMs = static_cast<double>(*offset - *first) / 1000.0;
        const double errorMs = std::max(0.0, nodes[i].clock.errorMs()) + std::max(0.0, nodes[0].clock.errorMs());
        const double surelyMs = std::abs(apartMs) - errorMs;
        const QString apart = QStringLiteral("The clock of %1 is %2 beside %3's")
                                  .arg(nodes[i].node.name, signedMs(apartMs), nodes[0].node.name);
        const QString error = QStringLiteral("Measured to ± %1 ms. ").arg(errorMs, 0, 'f', 2);
        if (surelyMs > kMostClockDifferenceMs)
            problems.append(
                {Severity::Error, nodes[i].node.name, apart,
                 error + QStringLiteral("The trainer refuses to start above 5 s, for how its ranks meet "
                                        "depends on time-outs by the clock. Does the node keep time (NTP)?")});
        else if (surelyMs > kClockWarningMs)
            problems.append(
                {Severity::Warning, nodes[i].node.name, apart,
                 error + QStringLiteral("Shown times are corrected; time stamps in the ranks' own files are "
                                        "not. Does the node keep time (NTP)?")});
    }
}

void checkHomes(const QList<PlanNode>& nodes, QList<Problem>& problems)
{
    QMap<QString, QStringList> sharing;
    QMap<QString, QStringList> machines;
    QStringList clones;
    for (const PlanNode& node : nodes) {
        if (!node.facts || node.facts->homeId.isEmpty())
            continue;
        const NodeFacts& facts = *node.facts;
        const bool known = machines[facts.homeId].contains(facts.bootId);
        if (!machines[facts.homeId].isEmpty() && !known && isLocalKind(facts.homeFileSystem)) {
            clones.append(node.node.name);
            continue;
        }
        machines[facts.homeId].append(facts.bootId);
        sharing[facts.homeId].append(node.node.name);
    }
    for (const QStringList& names : std::as_const(sharing))
        if (names.size() > 1)
            problems.append({Severity::Note,
                             {},
                             QStringLiteral("%1 share one home").arg(names.join(QLatin1String(", "))),
                             QStringLiteral("What is deployed is sent there once.")});
    if (!clones.isEmpty())
        problems.append({Severity::Note,
                         {},
                         QStringLiteral("%1 is a clone of another node's disk").arg(clones.join(QLatin1String(", "))),
                         QStringLiteral("Its home bears the same mark and is not shared.")});
}

} // namespace

QString signedMs(double ms)
{
    const double size = std::abs(ms);
    return (ms < 0 ? QStringLiteral("−") : QStringLiteral("+")) +
           (size >= 1000 ? QStringLiteral("%1 s").arg(size / 1000, 0, 'f', 1)
                         : QStringLiteral("%1 ms").arg(size, 0, 'f', size < 10 ? 2 : 0));
}

QList<Problem> healthOf(const PlanNode& node)
{
    return node.facts ? Health(node).check() : QList<Problem>();
}

QList<Problem> healthOf(const QList<PlanNode>& nodes)
{
    QList<Problem> problems;
    checkClocks(nodes, problems);
    checkHomes(nodes, problems);
    return problems;
}

Sourced clockText(const PlanNode& node)
{
    const auto offset = node.clock.offsetUs();
    if (!offset)
        return {{}, QStringLiteral("not measured yet")};
    if (node.node.local)
        return {QStringLiteral("this machine's"), QStringLiteral("no offset to itself")};
    return {signedMs(static_cast<double>(*offset) / 1000.0),
            QStringLiteral("± %1 ms against this machine, the least round trip of 8")
                .arg(std::max(0.0, node.clock.errorMs()), 0, 'f', 2)};
}

} // namespace lockstep
