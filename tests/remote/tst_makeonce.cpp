// SPDX-License-Identifier: GPL-3.0-or-later
// Who makes a thing that many want, who waits for it, and who holds it.
#include "remote/makeonce.h"

#include <QTest>

using namespace lockstep;

class TestMakeOnce : public QObject {
    Q_OBJECT

private slots:
    void othersWaitForWhoeverMakesIt();
    void isHeldAfterADoubt_data();
    void isHeldAfterADoubt();

private:
    using Once = MakeOnce<int>;

    static Once::Ticket askFor(Once& once)
    {
        return once.ask([](int) { return true; });
    }
    static Once::Ticket askDoubting(Once& once)
    {
        return once.ask([](int) { return false; });
    }
};

void TestMakeOnce::othersWaitForWhoeverMakesIt()
{
    Once once;
    QCOMPARE(askFor(once).turn, Once::Turn::Make);
    const auto waits = askFor(once);
    QCOMPARE(waits.turn, Once::Turn::Wait);
    auto future = waits.ready->future();
    once.made(std::make_shared<int>(7));
    QCOMPARE(*future.get().value(), 7);
    QCOMPARE(askFor(once).turn, Once::Turn::Ready);

    Once failing;
    QCOMPARE(askFor(failing).turn, Once::Turn::Make);
    auto failed = askFor(failing).ready->future();
    failing.made(failure(ErrorCode::Unreachable, QStringLiteral("no way")));
    QCOMPARE(failed.get().error().code, ErrorCode::Unreachable);
    QCOMPARE(askFor(failing).turn, Once::Turn::Make); // the next one tries anew
}

void TestMakeOnce::isHeldAfterADoubt_data()
{
    QTest::addColumn<Keep>("keep");
    QTest::addColumn<bool>("held");
    QTest::newRow("always") << Keep::Always << true;
    QTest::newRow("while used") << Keep::WhileUsed << false;
}

void TestMakeOnce::isHeldAfterADoubt()
{
    QFETCH(Keep, keep);
    QFETCH(bool, held);
    Once once(keep);
    QCOMPARE(askFor(once).turn, Once::Turn::Make);
    auto user = std::make_shared<int>(7);
    once.made(user);
    QCOMPARE(askDoubting(once).turn, Once::Turn::Make); // another is to take its place
    once.made(failure(ErrorCode::Unreachable, QStringLiteral("no way")));
    QCOMPARE(askFor(once).turn, Once::Turn::Ready); // it was heard again
    user.reset();
    QCOMPARE(once.value() != nullptr, held);
}

QTEST_GUILESS_MAIN(TestMakeOnce)
#include "tst_makeonce.moc"
