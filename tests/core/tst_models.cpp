// SPDX-License-Identifier: GPL-3.0-or-later
// NodeList and RunList: what the pages listen to.
#include "core/nodestate.h"
#include "core/runlist.h"

#include <QSignalSpy>
#include <QTest>

using namespace lockstep;

class TestModels : public QObject {
    Q_OBJECT

private slots:
    void nodesKeepWhatIsKnown();
    void anotherAddressIsAnotherMachine();
    void onlyChangesAreTold();
    void runsInOrder();
    void openRuns();
};

namespace {

Inventory inventoryOf(const QStringList& names)
{
    Inventory inventory;
    for (const QString& name : names) {
        Node node;
        node.name = name;
        node.address.host = name;
        inventory.nodes.append(node);
    }
    return inventory;
}

NodeState ready(const Node& node)
{
    NodeState state;
    state.node = node;
    state.phase = NodePhase::Ready;
    state.facts = NodeFacts();
    return state;
}

RunSummary summary(const QString& id)
{
    RunSummary run;
    run.id = id;
    return run;
}

} // namespace

void TestModels::nodesKeepWhatIsKnown()
{
    NodeList list;
    QSignalSpy resets(&list, &NodeList::reset);
    Inventory inventory = inventoryOf({"a", "b"});
    list.setInventory(inventory);
    list.update(ready(inventory.nodes[1]));
    inventory = inventoryOf({"c", "b"});
    inventory.nodes[1].tags = {"h100"};
    list.setInventory(inventory);
    QCOMPARE(resets.count(), 2);
    QCOMPARE(list.nodes().size(), 2);
    QCOMPARE(list.nodes()[0].phase, NodePhase::Unknown);
    QCOMPARE(list.find("b")->phase, NodePhase::Ready);
    QCOMPARE(list.find("b")->node.tags, QStringList({"h100"}));
    QVERIFY(!list.find("a"));
}

void TestModels::anotherAddressIsAnotherMachine()
{
    NodeList list;
    Inventory inventory = inventoryOf({"a"});
    list.setInventory(inventory);
    list.update(ready(inventory.nodes[0]));
    inventory.nodes[0].address.port = 2222;
    list.setInventory(inventory);
    QCOMPARE(list.find("a")->phase, NodePhase::Unknown);
    QVERIFY(!list.find("a")->facts);
}

void TestModels::onlyChangesAreTold()
{
    NodeList list;
    const Inventory inventory = inventoryOf({"a", "b"});
    list.setInventory(inventory);
    QSignalSpy changes(&list, &NodeList::nodeChanged);
    list.update(ready(inventory.nodes[1]));
    list.update(ready(inventory.nodes[1]));
    list.update(ready(inventoryOf({"stranger"}).nodes[0]));
    QCOMPARE(changes.count(), 1);
    QCOMPARE(changes[0][0].toInt(), 1);
    NodeState stale = ready(inventory.nodes[1]);
    stale.node.tags = {"old"}; // a state made before the inventory was edited
    list.update(stale);
    QCOMPARE(list.find("b")->node.tags, QStringList());
}

void TestModels::runsInOrder()
{
    RunList list;
    QSignalSpy resets(&list, &RunList::reset), changes(&list, &RunList::runChanged);
    list.setRuns({summary("2"), summary("1")});
    RunSummary run = summary("1");
    run.phase = RunPhase::Finished;
    list.update(run);
    QCOMPARE(changes.count(), 1);
    QCOMPARE(changes[0][0].toInt(), 1);
    QCOMPARE(list.find("1")->phase, RunPhase::Finished);
    list.update(summary("3"));
    QCOMPARE(resets.count(), 2);
    QCOMPARE(list.runs()[0].id, "3");
    QVERIFY(!list.find("9"));
}

void TestModels::openRuns()
{
    RunList list;
    QSignalSpy opened(&list, &RunList::opened), closed(&list, &RunList::closed);
    RunData& first = list.attach("1");
    list.attach("2");
    QCOMPARE(&list.attach("1"), &first);
    QCOMPARE(opened.count(), 2);
    QCOMPARE(list.open(), QStringList({"1", "2"}));
    QCOMPARE(list.data("1"), &first);
    bool alive = false;
    connect(&list, &RunList::closed, this,
            [&] { alive = first.generation() == 0; }); // its last moment is after the signal
    list.close("1");
    list.close("1");
    QVERIFY(alive);
    QCOMPARE(closed.count(), 1);
    QCOMPARE(list.data("1"), nullptr);
    QCOMPARE(list.open(), QStringList({"2"}));
}

QTEST_GUILESS_MAIN(TestModels)
#include "tst_models.moc"
