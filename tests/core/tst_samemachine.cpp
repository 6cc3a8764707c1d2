// SPDX-License-Identifier: GPL-3.0-or-later
// Two names of one machine are one node; two ports of one address are two.
#include "core/launchplan.h"
#include "core/samemachine.h"

#include <QTest>

using namespace lockstep;

class TestSameMachine : public QObject {
    Q_OBJECT

private slots:
    void same_data();
    void same();
    void planRefusesBothNames();
    void firstNameHolds();
};

namespace {

// "local boot host", or "endpoint key boot host"; "-": not known.
MachineIdentity made(const QString& text)
{
    QStringList words = text.split(' ');
    for (QString& word : words)
        word = word == QLatin1String("-") ? QString() : word.replace('_', ' ');
    if (words[0] == QLatin1String("local"))
        return {true, {}, {}, words[1], words[2]};
    return {false, words[0], words[1], words[2], words[3]};
}

NodeState stateOf(const QString& name, const QString& endpoint)
{
    NodeState state;
    state.node.name = state.node.address.host = name;
    state.phase = NodePhase::Ready;
    state.hostKey = HostKey{"ED25519", "SHA256:k", {}, {}, endpoint};
    state.facts = NodeFacts();
    state.facts->bootId = "b";
    state.facts->host = "gpu1";
    return state;
}

} // namespace

void TestSameMachine::same_data()
{
    QTest::addColumn<QString>("a");
    QTest::addColumn<QString>("b");
    QTest::addColumn<bool>("same");
    QTest::newRow("one endpoint") << "10.0.0.1:22 k - -"
                                  << "10.0.0.1:22 k - -" << true;
    QTest::newRow("one endpoint, other key") << "10.0.0.1:22 k - -"
                                             << "10.0.0.1:22 l - -" << false;
    QTest::newRow("two ports of one address") << "10.0.0.1:32101 k b h"
                                              << "10.0.0.1:32001 k b h" << false;
    QTest::newRow("two ports behind a jump") << "n:1_via_g k b h"
                                             << "n:2_via_g k b h" << false;
    QTest::newRow("two addresses") << "10.0.0.1:22 k b h"
                                   << "192.168.0.1:22 k b h" << true;
    QTest::newRow("two names") << "gpu1:22 k b h"
                               << "gpu1.example:22 k b h" << true;
    QTest::newRow("direct and by a jump") << "gpu1:22 k b h"
                                          << "gpu1:22_via_g k b h" << true;
    QTest::newRow("one image, two machines") << "10.0.0.1:22 k b h"
                                             << "10.0.0.2:22 k c h" << false;
    QTest::newRow("containers of one host") << "10.0.0.1:22 k b h"
                                            << "10.0.0.2:22 k b i" << false;
    QTest::newRow("nothing is known") << "- - - -"
                                      << "- - - -" << false;
    QTest::newRow("no facts yet") << "10.0.0.1:22 k - -"
                                  << "10.0.0.2:22 k - -" << false;
    QTest::newRow("this machine twice") << "local - -"
                                        << "local - -" << true;
    QTest::newRow("this machine by ssh") << "local b h"
                                         << "127.0.0.1:22 k b h" << true;
    QTest::newRow("this machine, and another") << "local b h"
                                               << "10.0.0.1:22 k c h" << false;
}

void TestSameMachine::same()
{
    QFETCH(QString, a);
    QFETCH(QString, b);
    QFETCH(bool, same);
    QCOMPARE(isSameMachine(made(a), made(b)), same);
    QCOMPARE(isSameMachine(made(b), made(a)), same);
}

void TestSameMachine::planRefusesBothNames()
{
    const NodeState a = stateOf("gpu1", "gpu1:22"), b = stateOf("gpu1-ib", "10.1.0.1:22");
    const auto titles = [](const QList<NodeState>& nodes) {
        QList<PlanNode> planned;
        for (const NodeState& state : nodes)
            planned.append({state.node, state.facts, {}, {}, state.hostKey});
        QStringList list;
        for (const Problem& problem : makePlan(RunSpec(), planned, {}).problems)
            list.append(problem.title);
        return list;
    };
    QVERIFY(titles({a, b}).contains("gpu1 and gpu1-ib are one machine"));
    QVERIFY(!titles({a}).contains("gpu1 and gpu1-ib are one machine"));
}

void TestSameMachine::firstNameHolds()
{
    const QList<NodeState> nodes{stateOf("gpu1", "gpu1:22"), stateOf("gpu1-ib", "10.1.0.1:22")};
    QCOMPARE(twinOf(nodes[0], nodes), QString());
    QCOMPARE(twinOf(nodes[1], nodes), QString("gpu1"));
}

QTEST_GUILESS_MAIN(TestSameMachine)
#include "tst_samemachine.moc"
