// SPDX-License-Identifier: GPL-3.0-or-later
// What a change of the inventory does to the nodes that are kept connected.
#include "remote/nodewatch.h"
#include "tests/remote/madenodes.h"

#include <QCoreApplication>
#include <QTest>

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr int kEndMs = 60'000;

} // namespace

class TestNodeWatch : public QObject {
    Q_OBJECT

private slots:
    void aChangedNode_data();
    void aChangedNode();
};

void TestNodeWatch::aChangedNode_data()
{
    QTest::addColumn<QString>("what");
    QTest::addColumn<bool>("connectsAgain");
    QTest::newRow("nothing") << "" << false;
    QTest::newRow("tags") << "tags" << false;
    QTest::newRow("slots") << "slots" << false;
    QTest::newRow("devices") << "devices" << false;
    QTest::newRow("environment") << "env" << false;
    QTest::newRow("interface") << "interface" << false;
    QTest::newRow("address") << "address" << true;
    QTest::newRow("user") << "user" << true;
    QTest::newRow("key") << "key" << true;
    QTest::newRow("jump host") << "jump" << true;
}

void TestNodeWatch::aChangedNode()
{
    QFETCH(QString, what);
    QFETCH(bool, connectsAgain);
    MadeNodes made(2);
    NodeWatch watch(made.parts(), {});
    QHash<QString, NodeState> states;
    connect(&watch, &NodeWatch::stateChanged, this,
            [&states](const NodeState& state) { states[state.node.name] = state; });
    watch.setInventory(made.inventory());
    const auto samples = [&states](const QString& node) { return states[node].cpuHistory.size(); };
    QTRY_VERIFY_WITH_TIMEOUT(samples("n1") > 0 && samples("n2") > 0, kEndMs);

    Inventory inventory = made.inventory();
    Node& node = inventory.nodes[0];
    if (what == QLatin1String("tags"))
        node.tags = {"rack3"};
    else if (what == QLatin1String("slots"))
        node.slots_ = 3;
    else if (what == QLatin1String("devices"))
        node.devices = {0};
    else if (what == QLatin1String("env"))
        node.env = {{"A", "b"}};
    else if (what == QLatin1String("interface"))
        node.interface = "eth1";
    else if (what == QLatin1String("address"))
        node.address.host = "10.77.0.9";
    else if (what == QLatin1String("user"))
        node.address.user = "alice";
    else if (what == QLatin1String("key"))
        node.key = "~/.ssh/id_other";
    else if (what == QLatin1String("jump"))
        node.jump = QStringList{"n2"};
    const int before = made[0].connections;
    const qsizetype seen = samples("n2");
    watch.setInventory(inventory);
    if (connectsAgain)
        QTRY_COMPARE_WITH_TIMEOUT(made[0].connections.load(), before + 1, kEndMs);
    QTRY_VERIFY_WITH_TIMEOUT(samples("n2") > seen + 1, kEndMs); // time for what must not happen
    QCOMPARE(made[0].connections.load(), before + (connectsAgain ? 1 : 0));
    QCOMPARE(made[1].connections.load(), 1);
}

QTEST_GUILESS_MAIN(TestNodeWatch)
#include "tst_nodewatch.moc"
