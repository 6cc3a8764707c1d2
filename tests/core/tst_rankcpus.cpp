// SPDX-License-Identifier: GPL-3.0-or-later
// Which CPUs a rank keeps to, and its threads.
#include "core/rankcpus.h"

#include <QTest>

using namespace lockstep;

class TestRankCpus : public QObject {
    Q_OBJECT

private slots:
    void cpus_data();
    void cpus();
    void lists_data();
    void lists();
};

void TestRankCpus::cpus_data()
{
    QTest::addColumn<QStringList>("numa");   // CPUs of each NUMA node
    QTest::addColumn<QList<int>>("devices"); // the NUMA node of each; empty: the CPU
    QTest::addColumn<int>("ranks");
    QTest::addColumn<int>("perDevice");
    QTest::addColumn<QString>("affinity");
    QTest::addColumn<QString>("cpus"); // by local rank
    QTest::addColumn<int>("threads");
    const QStringList two{"0-3,8-11", "4-7,12-15"};
    QTest::newRow("one NUMA node") << QStringList{"0-15"} << QList<int>{} << 2 << 1 << "auto"
                                   << " " << 8;
    QTest::newRow("nothing told") << QStringList{} << QList<int>{} << 2 << 1 << "auto"
                                  << " " << 8;
    QTest::newRow("CPU ranks in blocks") << two << QList<int>{} << 4 << 1 << "auto"
                                         << "0-3,8-11 0-3,8-11 4-7,12-15 4-7,12-15" << 4;
    QTest::newRow("as the devices lie") << two << QList<int>{1, 0} << 2 << 1 << "auto"
                                        << "4-7,12-15 0-3,8-11" << 8;
    QTest::newRow("a device that says nothing") << two << QList<int>{-1, 0} << 2 << 1 << "auto"
                                                << " 0-3,8-11" << 8;
    QTest::newRow("several a device") << two << QList<int>{1, 0} << 4 << 2 << "auto"
                                      << "4-7,12-15 4-7,12-15 0-3,8-11 0-3,8-11" << 4;
    QTest::newRow("none") << two << QList<int>{1, 0} << 2 << 1 << "none"
                          << " " << 8;
    QTest::newRow("cores") << QStringList{"0-15"} << QList<int>{} << 4 << 1 << "cores"
                           << "0-3 4-7 8-11 12-15" << 4;
    QTest::newRow("cores of the device's NUMA node") << two << QList<int>{1, 1, 0} << 3 << 1 << "cores"
                                                     << "4-7 12-15 0-3,8-11" << 5;
    QTest::newRow("cores, fewer than ranks") << QStringList{"0-1"} << QList<int>{} << 3 << 1 << "cores"
                                             << "0 0 1" << 5;
    QTest::newRow("cores without NUMA") << QStringList{} << QList<int>{} << 2 << 1 << "cores"
                                        << "0-7 8-15" << 8;
}

void TestRankCpus::cpus()
{
    QFETCH(QStringList, numa);
    QFETCH(QList<int>, devices);
    QFETCH(int, ranks);
    QFETCH(int, perDevice);
    QFETCH(QString, affinity);
    NodeFacts facts;
    facts.cores = 16;
    facts.cpus = QStringLiteral("0-15");
    for (int i = 0; i < numa.size(); ++i)
        facts.numaNodes.append({i, numa[i]});
    NodeShare share;
    share.ranks = ranks;
    for (const int node : std::as_const(devices)) {
        DeviceFacts device;
        device.numa = node;
        share.devices.append(device);
    }
    const RankCpus cpus = cpusOfRanks(facts, share, perDevice, *affinityOf(affinity));
    QCOMPARE(cpus.ofRank.size(), ranks);
    QTEST(cpus.ofRank.join(' '), "cpus");
    QTEST(cpus.threads, "threads");
    QVERIFY(!cpus.shown.value.isEmpty() && !cpus.shown.source.isEmpty());
}

void TestRankCpus::lists_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("again");
    QTest::newRow("ranges") << "0-3,8-11"
                            << "0-3,8-11";
    QTest::newRow("joined") << "3,2,1,5"
                            << "1-3,5";
    for (const char* wrong : {"", "a", "3-", "-3", "3-1", "0-99999999", "1-2-3"})
        QTest::newRow(wrong) << wrong << "";
}

void TestRankCpus::lists()
{
    QFETCH(QString, text);
    QTEST(cpuText(cpuNumbers(text)), "again");
}

QTEST_GUILESS_MAIN(TestRankCpus)
#include "tst_rankcpus.moc"
