// SPDX-License-Identifier: GPL-3.0-or-later
// `lockstep deploy` over a line of 40 Mbit/s, and what can happen in the middle of it: a link that is cut and heals, a
// desktop that is killed, a disk that is full or can't be written. Bytes are counted on the cable.
#include "tests/e2e/cablecount.h"
#include "tests/e2e/userdesk.h"
#include "tests/support/testcluster.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QProcess>
#include <QTest>

#include <random>
#include <thread>

using namespace lockstep::test;
using namespace std::chrono_literals;

namespace {

constexpr auto kStepTime = 60s, kDeployTime = 240s;
constexpr qint64 kBytes = 30'000'000; // 6 s on that line
constexpr qint64 kTwice = 6'000'000;  // what may cross the cable twice: in flight at the cut, the agent, the headers
const char kHash[] = "find /home/trainer/.cache/lockstep/bundles -name weights -exec md5sum {} + | cut -c-32";

void slowLine(const QString& host)
{
    QProcess tc;
    tc.start("nsenter", {"--net=/run/netns/switch", "tc", "qdisc", "replace", "dev", host, "root", "tbf", "rate",
                         "40mbit", "burst", "256k", "latency", "200ms"});
    if (!tc.waitForFinished() || tc.exitCode() != 0)
        qFatal("tc: %s", tc.readAllStandardError().constData());
}

QByteArray made(qsizetype bytes)
{
    QByteArray noise(bytes, '\0');
    std::minstd_rand random(5);
    for (char& c : noise)
        c = static_cast<char>(random() >> 8);
    return noise;
}

struct Bundle {
    explicit Bundle(UserDesk& desk)
    {
        QDir().mkpath(desk.path("bundle"));
        QFile file(desk.path("bundle/weights"));
        if (!file.open(QIODevice::WriteOnly) || file.write(made(kBytes)) != kBytes)
            qFatal("no bundle");
        file.close();
        desk.environment.insert("LOCKSTEP_BUNDLE", desk.path("bundle"));
        QProcess sum;
        sum.start("md5sum", {desk.path("bundle/weights")});
        sum.waitForFinished();
        hash = sum.readAllStandardOutput().left(32);
    }
    QByteArray hash;
};

QByteArray hashOn(const QString& host)
{
    return TestCluster::exec(host, kHash).out.trimmed();
}

// Clean: what a row before has left there is gone.
void clear(const QString& host)
{
    TestCluster::exec(host, "umount /home/trainer/.cache 2>/dev/null; rm -rf /home/trainer/.cache");
}

} // namespace

class TestDeploy : public QObject {
    Q_OBJECT

private slots:
    void cutAndHealed_data();
    void cutAndHealed();
    void theDesktopIsKilled();
    void aDiskThatTakesNothing_data();
    void aDiskThatTakesNothing();
};

void TestDeploy::cutAndHealed_data()
{
    QTest::addColumn<int>("seconds");
    QTest::newRow("1 s") << 1;
    QTest::newRow("8 s") << 8;
    QTest::newRow("30 s") << 30;
}

void TestDeploy::cutAndHealed()
{
    QFETCH(int, seconds);
    UserDesk desk;
    const Bundle bundle(desk);
    desk.setInventory("n1\n");
    clear("n1");
    slowLine("n1");
    CableCount count({"n1"});
    const auto run = desk.start({"deploy", "n1", "--json"});
    QVERIFY2(run->says("sending 1", kStepTime), run->said()); // 10 MB and more are there
    TestCluster::cut("n1");
    std::this_thread::sleep_for(std::chrono::seconds(seconds)); // the fault itself, not a wait for something
    TestCluster::heal("n1");
    const Answer answer = run->end(kDeployTime);
    QVERIFY2(answer.exitCode == 0, answer.err);
    const QJsonObject node = answer.json().array().first().toObject();
    qInfo("cut for %d s: %d cuts noticed, %lld bytes on the cable", seconds, node["cuts"].toInt(),
          static_cast<long long>(count.of("n1").sent));
    QCOMPARE(hashOn("n1"), bundle.hash);
    QVERIFY(count.of("n1").sent < kBytes + kTwice);
}

void TestDeploy::theDesktopIsKilled()
{
    UserDesk desk;
    const Bundle bundle(desk);
    desk.setInventory("n1\n");
    clear("n1");
    slowLine("n1");
    CableCount count({"n1"});
    const auto run = desk.start({"deploy", "n1"});
    QVERIFY2(run->says("sending 1", kStepTime), run->said());
    run->killHard();
    const Answer answer = desk.ask({"deploy", "n1", "--json"});
    QVERIFY2(answer.exitCode == 0, answer.err);
    QCOMPARE(hashOn("n1"), bundle.hash);
    QVERIFY(count.of("n1").sent < kBytes + kTwice);
    // There, nothing is sent a second time.
    count.reset();
    const Answer again = desk.ask({"deploy", "n1", "--json"});
    QCOMPARE(again.json().array().first().toObject()["files_sent"].toInt(-1), 0);
    QVERIFY(count.of("n1").sent < 100'000);
}

void TestDeploy::aDiskThatTakesNothing_data()
{
    QTest::addColumn<QByteArray>("options"); // of a tmpfs over ~/.cache
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("full") << QByteArray("size=20m") << QByteArray("MB free and");
    QTest::newRow("no inodes") << QByteArray("size=200m,nr_inodes=20") << QByteArray("more files and");
    QTest::newRow("read-only") << QByteArray("ro") << QByteArray("Read-only file system");
}

void TestDeploy::aDiskThatTakesNothing()
{
    QFETCH(QByteArray, options);
    QFETCH(QByteArray, words);
    UserDesk desk;
    const Bundle bundle(desk);
    desk.setInventory("n1\nn2\n");
    clear("n1");
    clear("n2");
    const Ran mounted =
        TestCluster::exec("n2", "mkdir -p /home/trainer/.cache && mount -t tmpfs -o mode=700,uid=2077," + options +
                                    " none /home/trainer/.cache");
    QVERIFY2(mounted.exitCode == 0, mounted.err);
    const Answer answer = desk.ask({"deploy", "--json"});
    clear("n2");
    QCOMPARE(answer.exitCode, 1);
    const QJsonArray nodes = answer.json().array();
    QCOMPARE(nodes.size(), 2);
    QVERIFY2(!nodes[0].toObject().contains("error"), answer.out);
    QCOMPARE(hashOn("n1"), bundle.hash); // one that fails keeps none from being filled
    const QByteArray said = nodes[1].toObject()["error"].toObject()["text"].toString().toUtf8();
    QVERIFY2(said.contains(words) && said.contains("n2"), said);
}

LOCKSTEP_CLUSTER_MAIN(TestDeploy, 2)
#include "tst_e2edeploy.moc"
