// SPDX-License-Identifier: GPL-3.0-or-later
// What NCCL says of itself, in the forms of its versions.
#include "core/ncclreport.h"
#include "core/runfacts.h"
#include "spools.h"

#include "core/rundecoder.h"

#include <QTest>

using namespace lockstep;

class TestNcclReport : public QObject {
    Q_OBJECT

private slots:
    void facts_data();
    void facts();
    void againstThePlan_data();
    void againstThePlan();
    void inARun();
};

void TestNcclReport::facts_data()
{
    QTest::addColumn<QString>("lines");
    QTest::addColumn<QString>("said");
    QTest::newRow("2.7, sockets")
        << "h:1:1 [0] NCCL INFO Bootstrap : Using [0]eth0:10.0.0.34<0>\n"
           "h:1:1 [0] NCCL INFO NET/Plugin : No plugin found (libnccl-net.so), using internal implementation\n"
           "h:1:1 [0] NCCL INFO NET/IB : No device found.\n"
           "h:1:1 [0] NCCL INFO NET/Socket : Using [0]eth0:10.0.0.34<0>\n"
           "h:1:1 [0] NCCL INFO Using network Socket\nNCCL version 2.7.8+cuda10.2"
        << "nccl_interface=eth0 10.0.0.34;nccl_network=Socket;nccl_no_ib=no device found;nccl_version=2.7.8+cuda10.2";
    QTest::newRow("2.27, RoCE")
        << "m:1:1 [0] NCCL INFO Bootstrap: Using eno8303:192.168.0.3<0>\n"
           "m:1:1 [0] NCCL INFO NCCL version 2.27.7+cuda13.0\n"
           "m:1:9 [1] NCCL INFO NET/IB: [0] mlx5_0:uverbs0:1/RoCE provider=Mlx5 speed=100000 context=0x7f "
           "pciPath=/sys\n"
           "m:1:9 [1] NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE [RO]; OOB eno8303:192.168.0.3<0>\n"
           "m:1:9 [1] NCCL INFO Assigned NET plugin IB to comm"
        << "nccl_adapters=mlx5_0:1/RoCE mlx5_1:1/RoCE;nccl_interface=eno8303 192.168.0.3;nccl_network=IB;"
           "nccl_version=2.27.7+cuda13.0";
    QTest::newRow("two interfaces") << "x [0] NCCL INFO Bootstrap : Using [0]ib0:10.148.8.71<0> [1]ib1:10.149.8.71<0>"
                                    << "nccl_interface=ib0 10.148.8.71, ib1 10.149.8.71";
    QTest::newRow("IPv6") << "x [0] NCCL INFO Bootstrap : Using eth0:fd00::1<0>"
                          << "nccl_interface=eth0 fd00::1";
    QTest::newRow("RCCL behind a launcher's prefix")
        << "3: e05:9:9 [2] NCCL INFO Bootstrap : Using ib0:11.5.5.50<0>\n3: e05:9:9 [2] NCCL INFO Using network IB"
        << "nccl_interface=ib0 11.5.5.50;nccl_network=IB";
    QTest::newRow("torn") << "h:1:1 [0] NCCL INFO Bootstrap : Using [0]eth0:10.0"
                          << "";
    QTest::newRow("nothing") << "step 3 loss 2.1\nNCCL is great\nNCCL INFO "
                             << "";
}

void TestNcclReport::facts()
{
    QFETCH(QString, lines);
    NcclReport report;
    bool said = false;
    for (const QString& line : lines.split('\n'))
        said = report.take(line) || said;
    QStringList all;
    for (auto fact = report.facts().begin(); fact != report.facts().end(); ++fact)
        all.append(fact.key() + '=' + fact.value());
    QTEST(all.join(';'), "said");
    QCOMPARE(said, !all.isEmpty());
    for (const QString& line : lines.split('\n'))
        QVERIFY(lines.contains("NET/Socket") || !report.take(line)); // said before: nothing new
}

void TestNcclReport::againstThePlan_data()
{
    QTest::addColumn<QString>("interface");
    QTest::addColumn<QString>("judged");
    QTest::newRow("as planned") << "eth0 10.0.0.1"
                                << "as planned";
    QTest::newRow("another") << "docker0 172.17.0.1"
                             << "docker0, the plan says eth0";
    QTest::newRow("more") << "eth0 10.0.0.1, ib0 10.5.0.1"
                          << "eth0, ib0, the plan says eth0";
    QTest::newRow("nothing said") << ""
                                  << "";
}

void TestNcclReport::againstThePlan()
{
    QFETCH(QString, interface);
    QTEST(againstPlan({{"nccl_interface", interface}}, "eth0"), "judged");
}

void TestNcclReport::inARun()
{
    RunData data;
    LaunchPlan plan = test::twoByTwo();
    plan.nodes[0].interface = {"eth0", ""};
    data.setPlan({}, plan);
    RunDecoder decoder(0, 0);
    const QByteArray spool = test::hello(1'000'000, test::kStartUs) +
                             "out 0 1200000 text=h:1:1\\s[0]\\sNCCL\\sINFO\\sBootstrap:\\sUsing\\sib0:10.5.0.1<0>\n"
                             "out 1 1200000 text=h:1:1\\s[1]\\sNCCL\\sINFO\\sBootstrap:\\sUsing\\seth0:10.0.0.1<0>\n";
    data.apply(decoder.feed({spool.constData(), static_cast<std::size_t>(spool.size())}));
    QStringList facts;
    for (const RunFact& fact : factsOf(data))
        facts.append(fact.name + '=' + fact.value + ' ' + rankRanges(fact.ranks));
    QCOMPARE(facts,
             QStringList({"nccl_interface=eth0 10.0.0.1 1", "nccl_interface=ib0 10.5.0.1 0",
                          "nccl_interface_planned=as planned 1", "nccl_interface_planned=ib0, the plan says eth0 0"}));
}

QTEST_GUILESS_MAIN(TestNcclReport)
#include "tst_ncclreport.moc"
