// SPDX-License-Identifier: GPL-3.0-or-later
// The plan measured on real hosts: a name that leads to loopback, docker's bridge, two subnets of which a firewall
// closes one, interfaces of other names; the port held until it is let go.
#include "remote/iothread.h"
#include "remote/launcher.h"
#include "remote/sshtransport.h"
#include "tests/support/testcluster.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace lockstep;
using namespace lockstep::test;

class TestMeasuredPlan : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void choosesWhatAllReach();
    void usesTheFasterSubnet();
    void refusesWhereNobodyGetsThrough();
    void holdsThePort();

private:
    static void shell(const QString& host, const QByteArray& line)
    {
        const Ran ran = TestCluster::exec(host, line);
        QVERIFY2(ran.exitCode == 0, ran.err + ran.out);
    }
    [[nodiscard]] Result<Measured> measured() { return measurePlan(m_parts, {}, m_nodes, {}); }

    IoThread m_io;
    QTemporaryDir m_folder;
    RunParts m_parts;
    QList<Node> m_nodes;
};

void TestMeasuredPlan::initTestCase()
{
    QFile program(m_folder.filePath("lockstep-trainer"));
    QVERIFY(program.open(QIODevice::WriteOnly) && program.write("#!/bin/sh\n") > 0);
    m_parts.transports = [this](const Node& node) -> std::unique_ptr<Transport> {
        return std::make_unique<SshTransport>(node, m_io, TestCluster::settings());
    };
    m_parts.agentFile = QStringLiteral(LOCKSTEP_BIN_DIR "/lockstep-agent");
    m_parts.bundleFolder = m_folder.path();
    m_parts.cacheFolder = m_folder.filePath("cache");
    for (const char* host : {"n1", "n2", "n3"})
        m_nodes.append(TestCluster::node(host));
    shell("n1", "echo 127.0.1.1 n1 >/etc/hosts");
    for (const char* host : {"n1", "n2"})
        shell(host, "ip link add docker0 type bridge && ip addr add 172.17.0.1/16 dev docker0 && "
                    "ip link set docker0 up");
    shell("n3", "ip link set eth0 down && ip link set eth0 name bond0 && ip link set bond0 up");
    shell("n1", "ip addr add 192.168.50.11/24 dev eth0");
    shell("n2", "ip addr add 192.168.50.12/24 dev eth0");
}

// n3 is not on 192.168.50.0/24; n2 is, but may not send there.
void TestMeasuredPlan::choosesWhatAllReach()
{
    shell("n2", "nft add table ip wall && nft add chain ip wall out '{ type filter hook output priority 0; }' && "
                "nft add rule ip wall out ip daddr 192.168.50.11 drop");
    const auto plan = measured();
    QVERIFY2(plan, plan ? "" : qPrintable(plan.error().text));
    QVERIFY2(plan->plan.launchable(), qPrintable(plan->plan.launchable() ? "" : notLaunchable(plan->plan).text));
    QCOMPARE(plan->plan.masterAddr, QStringLiteral("10.77.1.1"));
    QStringList interfaces;
    for (const PlannedNode& node : plan->plan.nodes)
        interfaces.append(node.interface.value);
    QCOMPARE(interfaces, QStringList({"eth0", "eth0", "bond0"}));
    QStringList tries;
    for (const ReachTry& one : plan->plan.nodes[1].reach)
        tries.append(one.address + ' ' + one.result.section(' ', 0, 1));
    QVERIFY2(tries.contains("10.77.1.1 reached from"), qPrintable(tries.join('\n')));
    QVERIFY2(tries.contains("192.168.50.11 not reached:"), qPrintable(tries.join('\n')));
    QVERIFY2(tries.contains("172.17.0.1 bridge of") || tries.contains("172.17.0.1 several nodes"),
             qPrintable(tries.join('\n')));
    QVERIFY(plan->plan.nodes[2].masterRoundTripMs > 0);
    QVERIFY(plan->plan.nodes[2].master.source.startsWith("reached, "));
    for (const Probed& probed : plan->probes) {
        QVERIFY(probed.clock.offsetUs().has_value()); // one machine's clock, seen over ssh
        QVERIFY(static_cast<double>(qAbs(*probed.clock.offsetUs())) / 1000.0 <= probed.clock.errorMs() + 1);
    }
    QCOMPARE(plan->probes[0].facts.selfAddresses, QStringList({"127.0.1.1"}));
    for (const PlannedRank& rank : plan->plan.ranks) { // pasted on its node, it starts there
        const QByteArray line = plan->plan.command(rank.rank);
        QVERIFY2(line.contains("/home/trainer/.cache/lockstep/bundles/"), line);
        QVERIFY2(line.contains(" MASTER_PORT=" + QByteArray::number(plan->plan.masterPort) + ' '), line);
    }
}

void TestMeasuredPlan::usesTheFasterSubnet() // without n3, and with the wall gone, both of n2's ways are open
{
    shell("n2", "nft delete table ip wall");
    const auto plan = measurePlan(m_parts, {}, m_nodes.mid(0, 2), {});
    QVERIFY2(plan, plan ? "" : qPrintable(plan.error().text));
    QVERIFY(plan->plan.launchable());
    qsizetype reached = 0;
    for (const ReachTry& one : plan->plan.nodes[1].reach)
        reached += one.result.startsWith("reached") ? 1 : 0;
    QVERIFY2(reached >= 2, qPrintable(QString::number(reached)));
}

void TestMeasuredPlan::refusesWhereNobodyGetsThrough()
{
    shell("n3", "nft add table inet wall && nft add chain inet wall out '{ type filter hook output priority 0; }' && "
                "nft add rule inet wall out 'tcp flags & (syn | ack) == syn drop'");
    const auto plan = measured();
    QVERIFY2(plan, plan ? "" : qPrintable(plan.error().text));
    QVERIFY(!plan->plan.launchable());
    const Error error = notLaunchable(plan->plan);
    QVERIFY2(error.text.contains("n3 cannot reach n1") && error.text.contains("timed out"), qPrintable(error.text));
    QCOMPARE(error.node, QStringLiteral("n3"));
    shell("n3", "nft delete table inet wall");
}

void TestMeasuredPlan::holdsThePort()
{
    auto plan = measured();
    QVERIFY(plan && plan->port);
    const QByteArray port = QByteArray::number(plan->port->port());
    const QByteArray listening = "ss -Hltn 'sport = :" + port + "' | grep -c .";
    QCOMPARE(TestCluster::exec("n1", listening).out.trimmed(), "0"); // only while the others try
    const auto second = HeldPort::hold(plan->links[0], {"10.77.1.1"}, plan->port->port(), {});
    QVERIFY(!second);
    QCOMPARE(second.error().code, ErrorCode::Busy);
    plan->port->release({});
    QVERIFY(HeldPort::hold(plan->links[0], {"10.77.1.1"}, plan->port->port(), {}));
}

LOCKSTEP_CLUSTER_MAIN(TestMeasuredPlan, 3)
#include "tst_measuredplan.moc"
