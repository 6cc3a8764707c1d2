// SPDX-License-Identifier: GPL-3.0-or-later
// What is said of nodes before a launch.
#include "core/nodehealth.h"
#include "plannednodes.h"

#include <QTest>

#include <functional>
#include <limits>

using namespace lockstep;

using Change = std::function<void(NodeFacts&)>;
Q_DECLARE_METATYPE(Change)

class TestNodeHealth : public QObject {
    Q_OBJECT

private slots:
    void ofOne_data();
    void ofOne();
    void clocks_data();
    void clocks();
    void offset();
    void homes();
};

void TestNodeHealth::ofOne_data()
{
    QTest::addColumn<Change>("change");
    QTest::addColumn<QString>("says"); // severity, title; empty: nothing
    const auto row = [](const char* name, Change change, const char* says) {
        QTest::newRow(name) << change << QString::fromUtf8(says);
    };
    row(
        "well", [](NodeFacts&) {}, "");
    row(
        "own name is loopback", [](NodeFacts& f) { f.selfAddresses = {"127.0.1.1"}; },
        "0 gpu1 resolves its own name to 127.0.1.1");
    row(
        "own name unknown", [](NodeFacts& f) { f.selfError = "no answer within 2 s"; },
        "0 gpu1 can't resolve its own name gpu1");
    row(
        "localhost elsewhere", [](NodeFacts& f) { f.localhostAddresses = {"10.0.0.9"}; },
        "1 localhost is not loopback on gpu1");
    const auto kill = [](NodeFacts& f) { f.killUserProcesses = f.loginSession = Told::Yes, f.linger = Told::No; };
    row("login manager kills", kill, "1 gpu1 ends what a user leaves running");
    row(
        "with linger it does not", [kill](NodeFacts& f) { kill(f), f.linger = Told::Yes; }, "");
    row(
        "outside of a session it does not", [kill](NodeFacts& f) { kill(f), f.loginSession = Told::No; }, "");
    const IbPort up{"mlx5_0", 1, "Active", "LinkUp", 400, "InfiniBand", "ib0", 0};
    const IbPort down{"mlx5_1", 1, "Down", "Polling", 40, "Ethernet", "", 0};
    row(
        "a port is down",
        [=](NodeFacts& f) {
            f.ibPorts = {up, down};
        },
        "1 1 of 2 InfiniBand or RoCE ports of gpu1 are not active");
    row(
        "all ports are down", [=](NodeFacts& f) { f.ibPorts = {down}; },
        "0 1 of 1 InfiniBand or RoCE ports of gpu1 are not active");
    row(
        "little locked memory", [=](NodeFacts& f) { f.ibPorts = {up}, f.user = "alice", f.memlockLimit = 65536; },
        "1 gpu1 lets alice lock only 0 MiB of memory");
    row(
        "few open files", [](NodeFacts& f) { f.openFilesLimit = 1024; }, "0 gpu1 allows 1024 open files");
    row(
        "full disk", [](NodeFacts& f) { f.runsFreeBytes = 5 << 20; }, "1 gpu1 has 5 MiB free for runs");
    row(
        "a control group's time", [](NodeFacts& f) { f.cores = 64, f.cpuQuota = 4; },
        "0 A control group gives 4 cores' time of 64 on gpu1");
}

void TestNodeHealth::ofOne()
{
    QFETCH(Change, change);
    PlanNode node = test::node("gpu1");
    change(*node.facts);
    QStringList said;
    for (const Problem& problem : healthOf(node))
        said.append(QString::number(static_cast<int>(problem.severity)) + ' ' + problem.title);
    QTEST(said.join('\n'), "says");
}

void TestNodeHealth::clocks_data()
{
    QTest::addColumn<double>("offsetMs");
    QTest::addColumn<double>("errorMs");
    QTest::addColumn<QString>("says");
    QTest::newRow("well") << 99.0 << 0.1 << "";
    QTest::newRow("perhaps") << 130.0 << 40.0 << ""; // the error does not let us say it
    QTest::newRow("above 100 ms") << -140.0 << 0.2 << "1 The clock of b is −140 ms beside a's";
    QTest::newRow("an hour") << 3'600'000.0 << 1.0 << "2 The clock of b is +3600.0 s beside a's";
}

void TestNodeHealth::clocks()
{
    QFETCH(double, offsetMs);
    QFETCH(double, errorMs);
    QList<PlanNode> nodes = test::nodes({"a", "b", "c"});
    nodes[0].clock = ClockOffset::of(7, 0); // only the difference between nodes counts
    nodes[1].clock = ClockOffset::of(7 + offsetMs, errorMs);
    QStringList said;
    for (const Problem& problem : healthOf(nodes))
        said.append(QString::number(static_cast<int>(problem.severity)) + ' ' + problem.title);
    QTEST(said.join('\n'), "says");
}

void TestNodeHealth::offset()
{
    ClockOffset clock;
    QVERIFY(!clock.offsetUs());
    clock.addAnswer(1000, 5000, 1400);
    clock.addAnswer(2000, 6010, 2020); // the least round trip
    clock.addAnswer(3000, 9000, 3300);
    clock.addAnswer(4000, 0, 3000);                                  // our clock was set back
    clock.addAnswer(5000, std::numeric_limits<qint64>::min(), 5001); // no time of day
    clock.addAnswer(6000, std::numeric_limits<qint64>::max(), 6001);
    QCOMPARE(*clock.offsetUs(), 4000);
    QCOMPARE(clock.errorMs(), 0.01);
    QCOMPARE(*ClockOffset::of(4, 0.01).offsetUs(), 4000);
    PlanNode node = test::node("a");
    QCOMPARE(clockText(node).source, "not measured yet");
    node.clock = clock;
    QCOMPARE(clockText(node).value, "+4.00 ms");
    QVERIFY(clockText(node).source.startsWith("± 0.01 ms against this machine"));
}

void TestNodeHealth::homes()
{
    QList<PlanNode> nodes = test::nodes({"a", "b", "c"});
    for (PlanNode& node : nodes) {
        node.facts->homeId = "1234";
        node.facts->homeFileSystem = "nfs";
    }
    nodes[2].facts->homeFileSystem = "ext4"; // a clone of b's disk
    QStringList said;
    for (const Problem& problem : healthOf(nodes))
        said.append(problem.title);
    QCOMPARE(said, QStringList({"a, b share one home", "c is a clone of another node's disk"}));
}

QTEST_GUILESS_MAIN(TestNodeHealth)
#include "tst_nodehealth.moc"
