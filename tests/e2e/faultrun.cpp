// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/e2e/faultrun.h"

#include "tests/e2e/hostlook.h"
#include "tests/support/testcluster.h"

#include <QTest>

namespace lockstep::test {

namespace {

using namespace std::chrono_literals;

constexpr auto kStartTime = 180s; // of 64 hosts on a busy machine
constexpr int kStepMs = 30'000, kGoneMs = 90'000;
constexpr int kSteps = 3;

} // namespace

QString healthy(int fault)
{
    return QStringLiteral("n%1").arg(2 * fault + 1);
}

QString faulty(int fault)
{
    return QStringLiteral("n%1").arg(2 * fault + 2);
}

FaultRun::FaultRun(const QStringList& hosts, const QString& script, int graceS) : m_hosts(hosts)
{
    m_desk.setRankProgram(script);
    QByteArray hostfile;
    for (const QString& host : hosts)
        hostfile += host.toUtf8() + " slots=1\n";
    m_desk.setInventory(hostfile);
    m_spec = m_desk.writeSpec("name = \"fault\"\nnodes = \"n*\"\ngrace = " + QByteArray::number(graceS) + "\n");
}

void FaultRun::begin()
{
    m_program = m_desk.start({"run", m_spec, "--json"});
}

void FaultRun::awaitRunning()
{
    if (!m_program->says(": running", kStartTime))
        qFatal("the run did not start: %s%s", m_program->said().constData(), m_program->printed().constData());
    m_id = m_desk.shown("last")["id"].toString();
    for (const QString& host : m_hosts)
        if (!QTest::qWaitFor([&] { return steps(host) >= kSteps; }, kStepMs))
            qFatal("no steps on %s: %s", qPrintable(host), m_program->said().constData());
}

int FaultRun::steps(const QString& host) const
{
    int most = 0;
    for (qsizetype rank = 0; rank < m_hosts.size(); ++rank)
        most = std::max(most, static_cast<int>(HostLook(host).file(m_id, QStringLiteral("steps-%1").arg(rank)).size()));
    return most;
}

bool FaultRun::stepsOn(const QString& host) const
{
    const int before = steps(host);
    return QTest::qWaitFor([&] { return steps(host) >= before + kSteps; }, kStepMs);
}

void FaultRun::letEnd() const
{
    for (const QString& host : m_hosts) {
        const Ran ran = TestCluster::exec(host, "touch " + HostLook::folderThere(host, m_id).toUtf8() + "/end");
        if (ran.exitCode != 0)
            qFatal("%s", ran.err.constData());
    }
}

QString FaultRun::difference() const
{
    for (const QString& host : m_hosts) {
        const QByteArray there = HostLook(host).spool(m_id), here = m_desk.storedSpool(m_id, host);
        if (here != there || there.isEmpty())
            return QStringLiteral("%1: %2 bytes here, %3 there").arg(host).arg(here.size()).arg(there.size());
    }
    return {};
}

void FaultRun::killSupervisor(const QString& host)
{
    // Its command line is that of the launch it was forked by; a launch that still waits has a parent.
    (void)TestCluster::exec(host, "for p in $(pgrep -U 2077 lockstep-agent); do tr '\\0' ' ' </proc/$p/cmdline | "
                                  "grep -q ' launch ' && [ \"$(ps -o ppid= -p $p)\" -eq 1 ] && kill -9 $p; done; true");
}

QStringList FaultRun::processes(const QString& host)
{
    QStringList left;
    for (const QString& process : HostLook(host).processes())
        if (!process.contains(QLatin1String("sshd")))
            left << process;
    return left;
}

bool FaultRun::isGone(const QString& host) const
{
    return QTest::qWaitFor([&] { return processes(host).isEmpty(); }, kGoneMs);
}

} // namespace lockstep::test
