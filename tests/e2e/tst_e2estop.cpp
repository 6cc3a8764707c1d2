// SPDX-License-Identifier: GPL-3.0-or-later
// Stop means gone, and only ours: ranks that ignore TERM and have hidden their children are ended on every node, and
// what looks just like them beside them is not touched.
#include "tests/e2e/hostlook.h"
#include "tests/e2e/userdesk.h"
#include "tests/support/testcluster.h"

#include <QElapsedTimer>
#include <QJsonArray>
#include <QTest>

using namespace lockstep::test;
using namespace std::chrono_literals;

namespace {

constexpr auto kStartTime = 60s, kEndTime = 60s;
constexpr int kGrowMs = 30'000;      // for processes and steps to come, on a busy machine
constexpr int kProcessesOfARank = 5; // itself and four children: ranks/stubborn
constexpr char kSpec[] = "name = \"stubborn\"\nnodes = \"n*\"\n";
const QStringList kHosts{"n1", "n2"};
const QString kOwnWork = "sleep 86400"; // a second longer than the ranks' children, to tell them apart here

QByteArray asUser(int uid)
{
    return "setsid -f setpriv --reuid " + QByteArray::number(uid) + " --clear-groups " + kOwnWork.toLatin1() +
           " </dev/null >/dev/null 2>&1";
}

QStringList pidsOf(const QString& run, const QString& host)
{
    QStringList pids;
    for (int rank = 0; rank < 4; ++rank)
        for (const QByteArray& line : HostLook(host).file(run, QStringLiteral("pids-%1").arg(rank)).split('\n'))
            if (!line.isEmpty())
                pids << QString::fromLatin1(line);
    return pids;
}

QStringList living(const QString& host, const QStringList& pids)
{
    const Ran ran = TestCluster::exec(host, "ps -o pid= -p " + pids.join(u',').toLatin1());
    return QString::fromLatin1(ran.out).split(u'\n', Qt::SkipEmptyParts);
}

double stepOf(const QJsonObject& run)
{
    double step = 1e9;
    for (const QJsonValue& rank : run["ranks"].toArray())
        step = std::min(step, rank["step"].toDouble(-1));
    return step;
}

} // namespace

class TestStop : public QObject {
    Q_OBJECT

private slots:
    void leavesNothingAndNobodyElse();
};

void TestStop::leavesNothingAndNobodyElse()
{
    UserDesk desk;
    desk.setRankProgram("stubborn");
    desk.setInventory("n1 slots=2\nn2 slots=2\n");
    const QString spec = desk.writeSpec(kSpec);
    QStringList runs;
    std::vector<std::unique_ptr<Program>> watching;
    for (int i = 0; i < 2; ++i) {
        watching.push_back(desk.start({"run", spec, "--json"}));
        QVERIFY2(watching.back()->says(": running", kStartTime), watching.back()->said());
        runs << desk.shown("last")["id"].toString();
        for (const QString& host : kHosts)
            QTRY_COMPARE_WITH_TIMEOUT(pidsOf(runs.back(), host).size(), 2 * kProcessesOfARank, kGrowMs);
    }
    // The same command of another user, tagged with the same run: it may not even be looked at. And one of this user's
    // own, without a tag: no business of Lockstep's.
    const QByteArray tag = "LOCKSTEP_RUN=" + runs[0].toLatin1() + " LOCKSTEP_RUN_FOLDER=/var/tmp/lockstep-2077/n1/" +
                           runs[0].toLatin1() + ' ';
    QCOMPARE(TestCluster::exec("n1", tag + asUser(HostLook::kDasher)).exitCode, 0);
    QCOMPARE(TestCluster::exec("n1", asUser(HostLook::kTrainer)).exitCode, 0);
    const HostLook stranger("n1", HostLook::kDasher);
    QTRY_COMPARE(stranger.processes().size(), 1);
    QTRY_COMPARE(HostLook("n1").processes().filter(kOwnWork).size(), 1);
    QHash<QString, QStringList> ours, beside;
    for (const QString& host : kHosts) {
        ours[host] = pidsOf(runs[0], host);
        beside[host] = pidsOf(runs[1], host);
        QCOMPARE(living(host, ours[host]).size(), 2 * kProcessesOfARank);
    }

    QElapsedTimer clock;
    clock.start();
    const Answer stopped = desk.ask({"stop", runs[0], "--grace", "1", "--json"});
    qInfo("stop with 1 s of grace took %lld ms", static_cast<long long>(clock.elapsed()));
    QVERIFY2(stopped.exitCode == 0, stopped.err + stopped.out);
    QCOMPARE(stopped.object()["phase"].toString(), QStringLiteral("stopped"));
    QCOMPARE(stopped.object()["proof"].toString(), QStringLiteral("4 of 4 ranks gone, 0 left behind"));
    for (const QString& host : kHosts) {
        QCOMPARE(living(host, ours[host]), QStringList());
        QCOMPARE(living(host, beside[host]).size(), 2 * kProcessesOfARank);
    }
    QCOMPARE(stranger.processes().size(), 1);
    QCOMPARE(HostLook("n1").processes().filter(kOwnWork).size(), 1);
    // Whoever watched the run sees it end as well; a stop is no failure of a rank.
    const Answer first = watching[0]->end(kEndTime);
    QCOMPARE(first.object()["phase"].toString(), QStringLiteral("stopped"));
    // The run beside it goes on.
    QVERIFY(watching[1]->isRunning());
    const double step = stepOf(desk.shown(runs[1]));
    QTRY_VERIFY_WITH_TIMEOUT(stepOf(desk.shown(runs[1])) > step + 5, kGrowMs);

    // Ctrl-C in the terminal that watches it is the same stop.
    watching[1]->interrupt();
    const Answer second = watching[1]->end(kEndTime);
    QVERIFY2(second.object()["phase"].toString() == "stopped", second.err + second.out);
    QCOMPARE(second.object()["proof"].toString(), QStringLiteral("4 of 4 ranks gone, 0 left behind"));
    QTRY_COMPARE(HostLook("n1").processes().size(), 1);
    QCOMPARE(HostLook("n1").processes().filter(kOwnWork).size(), 1);
    QTRY_COMPARE(HostLook("n2").processes(), QStringList());
}

LOCKSTEP_CLUSTER_MAIN(TestStop, 2)
#include "tst_e2estop.moc"
