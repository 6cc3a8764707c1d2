// SPDX-License-Identifier: GPL-3.0-or-later
// The node owns the job, the desktop only watches: killed and started again, or cut off for a while, it ends with every
// byte of every node's spool, once.
#include "tests/e2e/hostlook.h"
#include "tests/e2e/userdesk.h"
#include "tests/support/testcluster.h"

#include <QElapsedTimer>
#include <QJsonArray>
#include <QTest>

using namespace lockstep::test;
using namespace std::chrono_literals;

namespace {

constexpr auto kStartTime = 60s, kSayTime = 30s, kEndTime = 240s;
constexpr int kGrowMs = 60'000; // for bytes to come, on a busy machine
constexpr auto kCutTime = 8s;
constexpr qsizetype kMidRunBytes = 4 << 20;
constexpr int kRanks = 6;
constexpr char kSteps[] = "450"; // at 20 a second, a little less on a busy machine
const QStringList kHosts{"n1", "n2"};

QByteArray spec()
{
    return QByteArray("name = \"talk\"\nnodes = \"n*\"\n[env]\nSTEPS = \"") + kSteps + "\"\n";
}

int occurrences(const QByteArray& text, const QByteArray& part)
{
    return static_cast<int>(text.count(part));
}

} // namespace

class TestResume : public QObject {
    Q_OBJECT

private slots:
    void missesNothing();
};

void TestResume::missesNothing()
{
    UserDesk desk;
    desk.setRankProgram("talkative");
    desk.setInventory("n1 slots=4\nn2 slots=2\n");
    const auto run = desk.start({"run", desk.writeSpec(spec()), "--json"});
    QVERIFY2(run->says(": running", kStartTime), run->said());
    const QString id = desk.shown("last")["id"].toString();

    // Killed in the middle of the stream.
    QTRY_VERIFY_WITH_TIMEOUT(desk.storedSpool(id, "n1").size() > kMidRunBytes, kGrowMs);
    run->killHard();
    const qsizetype kept = desk.storedSpool(id, "n1").size();
    QTRY_VERIFY_WITH_TIMEOUT(HostLook("n1").spool(id).size() > kept + kMidRunBytes, kGrowMs); // ranks go on
    QCOMPARE(desk.storedSpool(id, "n1").size(), kept);

    // Taken up again, and cut off: packets are dropped, the sockets stay as they are.
    const auto attached = desk.start({"attach", id, "--json"});
    QTRY_VERIFY_WITH_TIMEOUT(desk.storedSpool(id, "n1").size() > kept, kGrowMs);
    QElapsedTimer cut;
    cut.start();
    TestCluster::cut("n2");
    QVERIFY2(attached->says("n2 is silent; what is shown of it is old", kSayTime), attached->said());
    qInfo("a cut link is said after %lld ms", static_cast<long long>(cut.elapsed()));
    TestCluster::cut("n1");
    QTest::qWait(static_cast<int>(std::chrono::milliseconds(kCutTime).count()) - static_cast<int>(cut.elapsed()));
    QVERIFY2(attached->said().contains("n1 is silent"), attached->said());
    QVERIFY2(!attached->said().contains("is heard again"), attached->said());
    TestCluster::heal("n2");
    TestCluster::heal("n1");
    QElapsedTimer healed;
    healed.start();
    for (const QString& host : kHosts)
        QVERIFY2(attached->says(host.toUtf8() + " is heard again", kSayTime), attached->said());
    qInfo("heard again %lld ms after the link came back", static_cast<long long>(healed.elapsed()));
    QVERIFY(attached->isRunning()); // all of that was in mid-run

    const Answer answer = attached->end(kEndTime);
    QVERIFY2(answer.exitCode == 0, answer.err + answer.out);
    QCOMPARE(answer.object()["phase"].toString(), QStringLiteral("finished"));
    QCOMPARE(answer.object()["ranks"].toArray().size(), kRanks);

    for (const QString& host : kHosts) {
        const QByteArray there = HostLook(host).spool(id), here = desk.storedSpool(id, host);
        qInfo("%s: %lld bytes in %s", qPrintable(host), static_cast<long long>(there.size()),
              qPrintable(HostLook(host).segments(id).join(u' ')));
        QVERIFY2(here == there,
                 qPrintable(QStringLiteral("%1 bytes here, %2 there").arg(here.size()).arg(there.size())));
    }
    // The comparison meant something: whole segments were compressed meanwhile, and every step was said.
    QVERIFY(HostLook("n1").segments(id).first().endsWith(".zst"));
    QCOMPARE(occurrences(desk.storedSpool(id, "n2"), QByteArray("step=") + kSteps + ' '), 2);
}

LOCKSTEP_CLUSTER_MAIN(TestResume, 2)
#include "tst_e2eresume.moc"
