// SPDX-License-Identifier: GPL-3.0-or-later
// Faults of a node and of the desktop in the middle of a run, each on two hosts of its own, the second one being the
// faulty one. What must go on goes on without a lost byte; what must fail fails with its cause and leaves nothing.
#include "tests/e2e/faultrun.h"
#include "tests/e2e/hostlook.h"
#include "tests/support/testcluster.h"

#include <QDateTime>
#include <QJsonArray>
#include <QProcess>
#include <QRegularExpression>
#include <QTest>

using namespace lockstep::test;
using namespace std::chrono_literals;

namespace {

constexpr auto kEndTime = 120s, kSayTime = 60s;
constexpr int kGrowMs = 60'000;
constexpr int kLostSteps = 10; // two seconds of them
constexpr char kPreload[] = LOCKSTEP_TEST_DIR "/libclockjump.so";

enum Fault {
    AgentDeleted,
    HomeReadOnly,
    DiskFull,
    NoInodes,
    ClockJump,
    SlowShell,
    DesktopKilled,
    DesktopDiskFull,
    SupervisorKilled
};
constexpr int kFaultCount = SupervisorKilled + 1;

void onHost(const QString& host, const QByteArray& shell)
{
    const Ran ran = TestCluster::exec(host, shell);
    if (ran.exitCode != 0)
        qFatal("%s: %s: %s", qPrintable(host), shell.constData(), ran.err.constData());
}

void asTrainer(const QString& host, const QByteArray& shell)
{
    onHost(host, "setpriv --reuid 2077 --regid 2077 --clear-groups sh -c '" + shell + "'");
}

void here(const QByteArray& shell) // on the desktop: this machine, as far as the cluster's namespaces go
{
    QProcess process;
    process.start("sh", {"-c", QString::fromLocal8Bit(shell)});
    if (!process.waitForFinished() || process.exitCode() != 0)
        qFatal("%s: %s", shell.constData(), process.readAllStandardError().constData());
}

// Waits until the rank has taken kLostSteps steps beside a spool that did not grow by a byte: what is left of its last
// page of the disk takes the records of some seconds, by chance.
bool losesRecords(const FaultRun& run, const QString& host)
{
    qsizetype size = -1;
    int since = 0;
    return QTest::qWaitFor(
        [&] {
            if (const qsizetype now = HostLook(host).spool(run.id()).size(); now != size) {
                size = now;
                since = run.steps(host);
            }
            return run.steps(host) >= since + kLostSteps;
        },
        kGrowMs);
}

QByteArray smallDisk(const QByteArray& options)
{
    return "mount -t tmpfs -o mode=1777," + options + " tmpfs /var/tmp";
}

} // namespace

class TestFaultNodes : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void agentDeleted() { goesOnAfter(AgentDeleted, "rm -rf /home/trainer/.cache/lockstep/agent"); }
    void homeReadOnly() { goesOnAfter(HomeReadOnly, "mount -o remount,bind,ro /home"); }
    void slowAndTalkativeShell() { goesOnAfter(SlowShell, "true"); }
    void noInodes();
    void diskFull();
    void clockJump();
    void desktopKilled();
    void desktopDiskFull();
    void supervisorKilled();

private:
    FaultRun& run(Fault fault) { return *m_runs[fault]; }
    void goesOnAfter(Fault fault, const QByteArray& shell);
    void finishes(Fault fault);
    QByteArray disk() { return run(DesktopDiskFull).desk().path("data/runs").toLocal8Bit(); }

    std::vector<std::unique_ptr<FaultRun>> m_runs;
};

void TestFaultNodes::initTestCase()
{
    onHost(faulty(DiskFull), smallDisk("size=80m"));
    onHost(faulty(NoInodes), smallDisk("size=100m,nr_inodes=64"));
    for (const QString& host : {healthy(SlowShell), faulty(SlowShell)})
        onHost(host, "printf 'echo welcome; echo watch out >&2; sleep 2\\n' > /home/trainer/.bashrc");
    TestCluster::configureSshd(
        faulty(ClockJump),
        "SetEnv LD_PRELOAD=" + QByteArray(kPreload) +
            " CLOCK_JUMP=/tmp/clock-jump"
            " ASAN_OPTIONS=verify_asan_link_order=0:alloc_dealloc_mismatch=0"); // of such a build
    for (int i = 0; i < kFaultCount; ++i)
        m_runs.push_back(std::make_unique<FaultRun>(QStringList{healthy(i), faulty(i)}, "steady"));
    here("mkdir -p " + disk() + " && mount -t tmpfs -o size=1m tmpfs " + disk());
    for (const auto& run : m_runs)
        run->begin();
    for (const auto& run : m_runs)
        run->awaitRunning();
}

// With a cut link, so that the node has to be reached anew.
void TestFaultNodes::goesOnAfter(Fault fault, const QByteArray& shell)
{
    const QString host = faulty(fault);
    onHost(host, shell);
    TestCluster::cut(host);
    QVERIFY2(run(fault).program().says("connecting again", kSayTime), run(fault).program().said());
    QVERIFY(run(fault).stepsOn(host));
    TestCluster::heal(host);
    QVERIFY2(run(fault).program().says("is heard again", kSayTime), run(fault).program().said());
    finishes(fault);
}

void TestFaultNodes::finishes(Fault fault)
{
    FaultRun& faultRun = run(fault);
    faultRun.letEnd();
    const Answer answer = faultRun.program().end(kEndTime);
    QVERIFY2(answer.exitCode == 0, answer.err);
    QCOMPARE(answer.object()["phase"].toString(), QStringLiteral("finished"));
    QCOMPARE(answer.object()["proof"].toString(), QStringLiteral("2 of 2 ranks gone, 0 left behind"));
    QCOMPARE(faultRun.difference(), QString());
    for (const QString& host : {healthy(fault), faulty(fault)})
        QVERIFY2(faultRun.isGone(host), qPrintable(FaultRun::processes(host).join(u'\n')));
}

void TestFaultNodes::noInodes()
{
    asTrainer(faulty(NoInodes), "i=0; while touch /var/tmp/full-$i 2>/dev/null; do i=$((i + 1)); done");
    QVERIFY(run(NoInodes).stepsOn(faulty(NoInodes)));
    onHost(faulty(NoInodes), "rm -f /var/tmp/full-*"); // for the file by which the test ends the ranks
    finishes(NoInodes);
}

void TestFaultNodes::diskFull()
{
    const QString host = faulty(DiskFull);
    asTrainer(host, "cat /dev/zero >/var/tmp/full 2>/dev/null; true");
    QVERIFY2(losesRecords(run(DiskFull), host), "the spool grows on a full disk");
    onHost(host, "rm /var/tmp/full");
    QVERIFY(run(DiskFull).stepsOn(host));
    // Said as soon as there is room for it, with how many they were.
    const QRegularExpression lost(QStringLiteral("^dropped \\S+ \\d+ what=metric count=[1-9]"),
                                  QRegularExpression::MultilineOption);
    const auto isSaid = [&] {
        return QString::fromUtf8(run(DiskFull).desk().storedSpool(run(DiskFull).id(), host)).contains(lost);
    };
    QTRY_VERIFY_WITH_TIMEOUT(isSaid(), kGrowMs);
    finishes(DiskFull);
}

void TestFaultNodes::clockJump()
{
    const QString host = faulty(ClockJump);
    onHost(host, "echo 3600 >/tmp/clock-jump");
    TestCluster::cut(host); // and it is found with a new clock
    QVERIFY2(run(ClockJump).program().says("connecting again", kSayTime), run(ClockJump).program().said());
    TestCluster::heal(host);
    QVERIFY2(run(ClockJump).program().says("is heard again", kSayTime), run(ClockJump).program().said());
    QVERIFY2(run(ClockJump).program().says("The clock of " + host.toUtf8() + " is +3600.0 s beside", kSayTime),
             run(ClockJump).program().said());
    QVERIFY(run(ClockJump).desk().storedSpool(run(ClockJump).id(), host).contains("clock "));
    finishes(ClockJump);
    // No time of the run lies in an hour that has not come.
    const qint64 now = QDateTime::currentMSecsSinceEpoch() * 1000;
    const QJsonObject shown = run(ClockJump).desk().shown(run(ClockJump).id());
    QVERIFY(static_cast<qint64>(shown["ended_us"].toDouble()) <= now + 5'000'000);
    const QJsonArray lines = run(ClockJump).desk().ask({"logs", run(ClockJump).id(), "--json"}).json().array();
    QVERIFY(!lines.isEmpty());
    for (const QJsonValue& line : lines)
        QVERIFY(static_cast<qint64>(line["wall_us"].toDouble()) <= now + 5'000'000);
}

void TestFaultNodes::desktopKilled()
{
    FaultRun& faultRun = run(DesktopKilled);
    faultRun.program().killHard();
    QVERIFY(faultRun.stepsOn(faulty(DesktopKilled)));
    faultRun.letEnd();
    const Answer answer = faultRun.desk().ask({"attach", faultRun.id(), "--json"});
    QVERIFY2(answer.exitCode == 0, answer.err);
    QCOMPARE(answer.object()["phase"].toString(), QStringLiteral("finished"));
    QCOMPARE(faultRun.difference(), QString());
}

// The node keeps everything; here it is said, and goes on when there is room.
void TestFaultNodes::desktopDiskFull()
{
    FaultRun& faultRun = run(DesktopDiskFull);
    const QString host = faulty(DesktopDiskFull);
    here("cat /dev/zero >" + disk() + "/full 2>/dev/null; true");
    QVERIFY2(faultRun.program().says("What " + host.toUtf8() + " sends can't be kept here", kSayTime),
             faultRun.program().said());
    QVERIFY(faultRun.stepsOn(host));
    here("rm " + disk() + "/full");
    QVERIFY2(faultRun.program().says(host.toUtf8() + " is heard again", kSayTime), faultRun.program().said());
    QVERIFY2(!faultRun.program().said().contains(host.toUtf8() + " is silent"), faultRun.program().said());
    finishes(DesktopDiskFull);
    here("umount -l " + disk());
}

void TestFaultNodes::supervisorKilled()
{
    FaultRun& faultRun = run(SupervisorKilled);
    const QString host = faulty(SupervisorKilled);
    FaultRun::killSupervisor(host);
    const Answer answer = faultRun.program().end(kEndTime);
    QVERIFY2(answer.exitCode == 1, answer.err + answer.out);
    const QJsonObject failed = answer.object();
    QCOMPARE(failed["phase"].toString(), QStringLiteral("failed"));
    QVERIFY2(failed["cause"].toObject()["title"].toString().contains("supervisor on " + host), answer.out);
    QCOMPARE(failed["proof"].toString(), QStringLiteral("2 of 2 ranks gone, 0 left behind"));
    for (const QString& each : {healthy(SupervisorKilled), host})
        QVERIFY2(faultRun.isGone(each), qPrintable(FaultRun::processes(each).join(u'\n')));
}

LOCKSTEP_CLUSTER_MAIN(TestFaultNodes, 2 * kFaultCount)
#include "tst_e2efaultnodes.moc"
