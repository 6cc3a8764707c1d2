// SPDX-License-Identifier: GPL-3.0-or-later
// What ranks say at their start, understood in any spelling: a port that is taken, a world that is not the plan's.
#include "remote/porttaken.h"
#include "remote/worldcheck.h"

#include <QTest>

using namespace lockstep;

class TstStartWords : public QObject {
    Q_OBJECT

private slots:
    void portTaken_data();
    void portTaken();
    void world_data();
    void world();
};

void TstStartWords::portTaken_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<bool>("taken");
    const auto row = [](const char* line, bool taken) { QTest::newRow(line) << QString::fromLatin1(line) << taken; };
    row("RuntimeError: The server socket has failed to bind to [::]:29500 (errno: 98 - Address already in use).", true);
    row("[W socket.cpp:464] The server socket on [0.0.0.0]:29500 has failed: code: -98, name: EADDRINUSE", true);
    row("torch.distributed.DistNetworkError: EADDRINUSE", true);
    row("OSError: [Errno 98] Address already in use", true);
    row("bind: address already in use", true);
    row("bind(0.0.0.0:29500): ADDRESS ALREADY IN USE", true);
    row("lockstep-trainer: port 29417 is already taken", true);
    row("port 29500 already in use", true);
    row("errno:98", true);
    row("step 98 of 100", false);
    row("OSError: [Errno 99] Cannot assign requested address", false);
    row("errno: 980", false);
    row("the address is already known", false);
    row("EADDRINUSES", false);
}

void TstStartWords::portTaken()
{
    QFETCH(QString, line);
    QFETCH(bool, taken);
    QCOMPARE(saysPortTaken({QStringLiteral("some words before"), line, QString()}), taken);
}

void TstStartWords::world_data()
{
    QTest::addColumn<QString>("world"); // empty: the program does not say
    QTest::addColumn<QString>("rank");
    QTest::addColumn<QString>("title"); // empty: fine
    QTest::addColumn<QString>("detail");
    QTest::newRow("as planned") << "4"
                                << "2"
                                << ""
                                << "";
    QTest::newRow("nothing said") << ""
                                  << ""
                                  << ""
                                  << "";
    QTest::newRow("alone") << "1"
                           << ""
                           << "Rank 2 trains in a world of 1, the plan has 4"
                           << "Each trains alone";
    QTest::newRow("two groups") << "2"
                                << ""
                                << "Rank 2 trains in a world of 2, the plan has 4"
                                << "Each group";
    QTest::newRow("no number") << "four"
                               << ""
                               << "Rank 2 trains in a world of four, the plan has 4"
                               << "Each group";
    QTest::newRow("another rank") << "4"
                                  << "0"
                                  << "Rank 2 takes itself for rank 0"
                                  << "Does the program read RANK?";
}

void TstStartWords::world()
{
    QFETCH(QString, world);
    QFETCH(QString, rank);
    QFETCH(QString, title);
    QFETCH(QString, detail);
    LaunchPlan plan;
    plan.worldSize = 4;
    QMap<QString, QString> facts{{QStringLiteral("model"), QStringLiteral("mlp")}};
    if (!world.isEmpty())
        facts.insert(QStringLiteral("world"), world);
    if (!rank.isEmpty())
        facts.insert(QStringLiteral("rank"), rank);
    const auto cause = wrongWorld(plan, QStringLiteral("n2"), 2, facts);
    QCOMPARE(cause.has_value(), !title.isEmpty());
    if (!cause)
        return;
    QCOMPARE(cause->title, title);
    QVERIFY2(cause->detail.contains(detail), qPrintable(cause->detail));
    QCOMPARE(cause->node, QStringLiteral("n2"));
    QCOMPARE(cause->rank, 2);
}

QTEST_GUILESS_MAIN(TstStartWords)
#include "tst_startwords.moc"
