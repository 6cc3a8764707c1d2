// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/masterchoice.h"
#include "plannednodes.h"

#include <QRegularExpression>
#include <QTest>

using namespace lockstep;

class TestMasterChoice : public QObject {
    Q_OBJECT

private slots:
    void chosen_data();
    void chosen();
    void toldOfTheFasterSubnet();
    void leftOutWithReasons();
    void interfaceOfTheInventory();
    void twoAccountsOfOneMachine();
    void tried_data();
    void tried();
    void candidates();
};

void TestMasterChoice::chosen_data()
{
    QTest::addColumn<QStringList>("pictures");
    QTest::addColumn<QString>("address");
    QTest::addColumn<QString>("interfaces");
    QTest::addColumn<QString>("source");
    const QString lo = " | lo 127.0.0.1/8 ::1/128";
    QTest::newRow("one node") << QStringList{"this" + lo + " | eth0 10.0.0.2/24"} << "127.0.0.1"
                              << "lo"
                              << "one node takes part";
    QTest::newRow("one node, not measured") << QStringList{"gpu1 ?"} << "127.0.0.1"
                                            << "lo"
                                            << "one node";
    QTest::newRow("own name on 127.0.1.1, docker0")
        << QStringList{"gpu1" + lo + " 127.0.1.1/8 | docker0 172.17.0.1/16 | eth0 10.0.0.11/24",
                       "gpu2" + lo + " | docker0 172.17.0.1/16 | eth0 10.0.0.12/24"}
        << "10.0.0.11"
        << "eth0 eth0"
        << "the only subnet both share, 10.0.0.0/24";
    QTest::newRow("names differ") << QStringList{"gpu1" + lo + " | ens1f0 10.1.0.11/16 100000",
                                                 "gpu2" + lo + " | enp65s0np0 10.1.0.12/16 100000",
                                                 "gpu3" + lo + " | bond0 10.1.0.13/16 200000"}
                                  << "10.1.0.11"
                                  << "ens1f0 enp65s0np0 bond0"
                                  << "the only subnet all 3 share, 10.1.0.0/16: 100 Gb/s";
    QTest::newRow("VLAN and InfiniBand beside")
        << QStringList{"a" + lo + " | bond0 10.0.0.1/24 | bond0.2093 10.9.0.1/24 | docker0 172.17.0.1/16 | ib0",
                       "b" + lo + " | bond0 10.0.0.2/24"}
        << "10.0.0.1"
        << "bond0 bond0"
        << "";
    QTest::newRow("all share only the slow one")
        << QStringList{"gpu1 | e 10.0.0.11/24 1000 | f 192.168.50.11/24 100000",
                       "gpu2 | e 10.0.0.12/24 1000 | f 192.168.50.12/24 100000", "gpu3 | e 10.0.0.13/24 1000"}
        << "10.0.0.11"
        << "e e e"
        << "10.0.0.0/24";
    QTest::newRow("the faster of two") << QStringList{"a | e 10.0.0.1/24 1000 | f 192.168.50.1/24 100000",
                                                      "b | e 10.0.0.2/24 1000 | f 192.168.50.2/24 100000"}
                                       << "192.168.50.1"
                                       << "f f"
                                       << "the fastest subnet both share";
    QTest::newRow("the slowest member counts")
        << QStringList{"a | e 10.0.0.1/24 10000 | f 10.5.0.1/24 100000", "b | e 10.0.0.2/24 10000 | f 10.5.0.2/24 1000"}
        << "10.0.0.1"
        << "e e"
        << "10 Gb/s";
    QTest::newRow("IPv4 before IPv6") << QStringList{"a | e fd00::1/64 10.0.0.1/24", "b | e fd00::2/64 10.0.0.2/24"}
                                      << "10.0.0.1"
                                      << "e e"
                                      << "";
    QTest::newRow("IPv6 alone") << QStringList{"a | e fe80::1/64 fd00::1/64", "b | e fe80::2/64 fd00::2/64"}
                                << "fd00::1"
                                << "e e"
                                << "fd00::/64";
    QTest::newRow("down link") << QStringList{"a | f 10.5.0.1/24 100000 down | e 10.0.0.1/24 1000",
                                              "b | f 10.5.0.2/24 100000 | e 10.0.0.2/24 1000"}
                               << "10.0.0.1"
                               << "e e"
                               << "";
    QTest::newRow("virbr, br-, veth, link-local")
        << QStringList{"a | virbr0 192.168.122.1/24 | br-3fa 172.18.0.1/16 | veth1 172.19.0.1/16 | u 169.254.3.1/16 | "
                       "e 10.0.0.1/24",
                       "b | virbr0 192.168.122.2/24 | br-3fa 172.18.0.2/16 | veth1 172.19.0.2/16 | u 169.254.3.2/16 | "
                       "e 10.0.0.2/24"}
        << "10.0.0.1"
        << "e e"
        << "the only";
    QTest::newRow("of other virtual machines and containers")
        << QStringList{"a | vboxnet0 192.168.56.1/24 100000 | vmnet8 192.168.80.1/24 | cilium_host 10.244.0.1/16 | "
                       "incusbr0 10.9.0.1/24 | nerdctl0 10.4.0.1/24 | weave 10.32.0.1/12 | e 10.0.0.1/24",
                       "b | vboxnet0 192.168.56.2/24 100000 | vmnet8 192.168.80.2/24 | cilium_host 10.244.1.1/16 | "
                       "incusbr0 10.9.0.2/24 | nerdctl0 10.4.0.2/24 | weave 10.32.0.2/12 | e 10.0.0.2/24"}
        << "10.0.0.1"
        << "e e"
        << "the only";
    QTest::newRow("several have it") << QStringList{"a | vpn 10.8.0.1/24 100000 | e 10.0.0.1/24",
                                                    "b | vpn 10.8.0.1/24 100000 | e 10.0.0.2/24"}
                                     << "10.0.0.1"
                                     << "e e"
                                     << "";
    QTest::newRow("a subnet a rack") << QStringList{"a | e 10.1.0.1/24 | f 10.2.0.1/24 100000", "b | e 10.3.0.1/24"}
                                     << "10.2.0.1"
                                     << "f e"
                                     << "through routers";
    QTest::newRow("nothing usable") << QStringList{"a" + lo + " | docker0 172.17.0.1/16", "b" + lo + " | e 10.0.0.2/24"}
                                    << ""
                                    << " "
                                    << "no usable address";
    QTest::newRow("second not measured") << QStringList{"a | e 10.0.0.1/24", "b ?"} << "10.0.0.1"
                                         << "e "
                                         << "not measured yet on b";
    QTest::newRow("master not measured") << QStringList{"a ?", "b | e 10.0.0.2/24"} << ""
                                         << " e"
                                         << "not measured yet";
    QTest::newRow("numeric in the inventory") << QStringList{"10.0.0.9 ?", "b | e 10.0.0.2/24"} << "10.0.0.9"
                                              << " e"
                                              << "the address in the inventory; not measured yet";
}

void TestMasterChoice::chosen()
{
    QFETCH(QStringList, pictures);
    QFETCH(QString, source);
    const MasterChoice choice = chooseMaster(test::nodes(pictures));
    QTEST(choice.address.value, "address");
    QVERIFY2(choice.address.source.contains(source), qPrintable(choice.address.source));
    QStringList interfaces;
    for (const InterfaceChoice& one : choice.nodes)
        interfaces.append(one.interface.value);
    QTEST(interfaces.join(' '), "interfaces");
}

void TestMasterChoice::toldOfTheFasterSubnet()
{
    const MasterChoice choice = chooseMaster(
        test::nodes({"gpu1 | e 10.0.0.11/24 1000 | f 192.168.50.11/24 100000",
                     "gpu2 | e 10.0.0.12/24 1000 | f 192.168.50.12/24 100000", "gpu3 | e 10.0.0.13/24 1000"}));
    QCOMPARE(choice.problems.size(), 1);
    QCOMPARE(choice.problems[0].node, "gpu3");
    QCOMPARE(choice.problems[0].title, "gpu3 is not on 192.168.50.0/24, which is faster");
    QVERIFY2(choice.problems[0].detail.contains("100 Gb/s") && choice.problems[0].detail.contains("1 Gb/s"),
             qPrintable(choice.problems[0].detail));
}

void TestMasterChoice::leftOutWithReasons()
{
    const MasterChoice choice =
        chooseMaster(test::nodes({"a | lo 127.0.0.1/8 | docker0 172.17.0.1/16 | x 169.254.1.1/16 | d 10.7.0.1/24 down "
                                  "| vpn 10.8.0.1/24 | e 10.0.0.1/24 nonsense/3",
                                  "b | vpn 10.8.0.1/24 | e 10.0.0.2/24"}));
    QStringList told;
    for (const ReachTry& reach : choice.nodes[0].reach)
        told.append(reach.address + ": " + reach.result);
    QCOMPARE(told, QStringList({"127.0.0.1: loopback", "172.17.0.1: bridge of containers or virtual machines",
                                "169.254.1.1: link-local", "10.7.0.1: link is down", "10.8.0.1: several nodes have it",
                                "nonsense: is no address"}));
}

void TestMasterChoice::interfaceOfTheInventory()
{
    QList<PlanNode> nodes =
        test::nodes({"a | e 10.0.0.1/24 1000 | f 10.5.0.1/24 100000", "b | e 10.0.0.2/24 1000 | f 10.5.0.2/24 100000"});
    nodes[1].node.interface = "e";
    QCOMPARE(chooseMaster(nodes).address.value, "10.0.0.1");
    nodes[1].node.interface = "eth7";
    const MasterChoice choice = chooseMaster(nodes);
    QVERIFY(std::any_of(choice.problems.begin(), choice.problems.end(), [](const Problem& problem) {
        return problem.severity == Severity::Error && problem.title == "b has no interface eth7";
    }));
}

void TestMasterChoice::twoAccountsOfOneMachine()
{
    QList<PlanNode> nodes = test::nodes({"a | lo 127.0.0.1/8 | e 10.0.0.1/24", "b | lo 127.0.0.1/8 | e 10.0.0.1/24"});
    nodes[1].facts->bootId = nodes[0].facts->bootId;
    nodes[1].facts->host = nodes[0].facts->host;
    QCOMPARE(chooseMaster(nodes).address.value, "10.0.0.1");
}

void TestMasterChoice::tried_data()
{
    // What each node but the first found, node by node: address>from:interface:ms, or address!why.
    QTest::addColumn<QStringList>("pictures");
    QTest::addColumn<QStringList>("found");
    QTest::addColumn<QString>("address");
    QTest::addColumn<QString>("interfaces");
    QTest::addColumn<QString>("words"); // of the address's source, or of the problem
    const QStringList two{"a | e 10.0.0.1/24 1000 | f 192.168.50.1/24 100000",
                          "b | e 10.0.0.2/24 1000 | f 192.168.50.2/24 100000"};
    QTest::newRow("the fastest of two that are reached")
        << two << QStringList{"10.0.0.1>10.0.0.2:e:0.2 192.168.50.1>192.168.50.2:f:0.05"} << "192.168.50.1"
        << "f f"
        << "the fastest address that b reaches, 100 Gb/s";
    QTest::newRow("the fast one is behind a firewall")
        << two << QStringList{"10.0.0.1>10.0.0.2:e:0.2 192.168.50.1!Connection timed out"} << "10.0.0.1"
        << "e e"
        << "192.168.50.1 is faster, but not all reach it | f at 100 Gb/s; without it are b (Connection timed out).";
    QTest::newRow("a subnet a rack, through a router")
        << QStringList{"a | e 10.1.0.1/24 25000", "b | x 10.2.0.1/24 25000", "c | y 10.3.0.1/24 10000"}
        << QStringList{"10.1.0.1>10.2.0.1:x:0.3", "10.1.0.1>10.3.0.1:y:0.4"} << "10.1.0.1"
        << "e x y"
        << "the only address that all 2 others reach, 10 Gb/s";
    QTest::newRow("the way goes over another interface than the subnet says")
        << QStringList{"a | e 10.0.0.1/24 1000", "b | e 10.0.0.2/24 1000 | g 10.9.0.2/24 10000"}
        << QStringList{"10.0.0.1>10.9.0.2:g:0.1"} << "10.0.0.1"
        << "e g"
        << "1 Gb/s";
    QTest::newRow("IPv6 alone is reached")
        << QStringList{"a | e 10.0.0.1/24 fd00::1/64", "b | e 10.0.0.2/24 fd00::2/64"}
        << QStringList{"10.0.0.1!No route to host fd00::1>fd00::2:e:0.1"} << "fd00::1"
        << "e e"
        << "the only address";
    QTest::newRow("none is reached by all")
        << QStringList{"a | e 10.0.0.1/24 1000 | f 10.5.0.1/24 100000", "b | e 10.0.0.2/24", "c | f 10.5.0.3/24"}
        << QStringList{"10.0.0.1>10.0.0.2:e:0.1 10.5.0.1!refused", "10.0.0.1!timed out 10.5.0.1>10.5.0.3:f:0.1"}
        << "10.0.0.1"
        << "  "
        << "cannot reach a | The ranks could not meet: ";
}

void TestMasterChoice::tried()
{
    QFETCH(QStringList, pictures);
    QFETCH(QStringList, found);
    QFETCH(QString, words);
    QList<PlanNode> nodes = test::nodes(pictures);
    for (qsizetype i = 0; i < found.size(); ++i) {
        static const QRegularExpression kOne(
            QStringLiteral("(\\S+?)(?:>(\\S+):(\\w+):([0-9.]+)|!([A-Za-z ]+?))(?= [0-9f]|$)"));
        for (auto all = kOne.globalMatch(found[i]); all.hasNext();) {
            const auto one = all.next();
            nodes[i + 1].reached.append({one.captured(1), one.captured(4).isEmpty() ? -1 : one.captured(4).toDouble(),
                                         one.captured(2), one.captured(3), one.captured(5)});
        }
        QVERIFY(!nodes[i + 1].reached.isEmpty());
    }
    const MasterChoice choice = chooseMaster(nodes);
    QTEST(choice.address.value, "address");
    QStringList interfaces, told{choice.address.source};
    for (const InterfaceChoice& one : choice.nodes)
        interfaces.append(one.interface.value);
    QTEST(interfaces.join(' '), "interfaces");
    for (const Problem& problem : choice.problems)
        told.append(problem.title + " | " + problem.detail);
    QVERIFY2(told.join('\n').contains(words), qPrintable(told.join('\n')));
    for (qsizetype i = 1; i < nodes.size(); ++i) // a row a way, in the node's own table
        QVERIFY(choice.nodes[i].reach.size() >= nodes[i].reached.size());
}

void TestMasterChoice::candidates()
{
    const QList<PlanNode> nodes = test::nodes(
        {"a | lo 127.0.0.1/8 | docker0 172.17.0.1/16 | z 10.9.0.1/24 100000 | e 10.0.0.1/24 1000 fe80::1/64",
         "b | e 10.0.0.2/24 1000 | docker0 172.17.0.1/16"});
    RunSpec spec;
    QCOMPARE(masterCandidates(spec, nodes), QStringList({"10.0.0.1", "10.9.0.1"})); // what all share first
    QCOMPARE(masterCandidates(spec, test::nodes({"a ?"})), QStringList({"127.0.0.1"}));
    QCOMPARE(masterCandidates(spec, test::nodes({"a ?", "b ?"})), QStringList());
    spec.envOverride = {{"MASTER_ADDR", "192.0.2.7"}};
    QCOMPARE(masterCandidates(spec, nodes), QStringList({"192.0.2.7"}));
    spec.envOverride = {{"MASTER_ADDR", "a.example"}};
    QCOMPARE(masterCandidates(spec, nodes), QStringList());
}

QTEST_GUILESS_MAIN(TestMasterChoice)
#include "tst_masterchoice.moc"
