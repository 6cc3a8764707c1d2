// SPDX-License-Identifier: GPL-3.0-or-later
// What a rank says of itself, against the plan.
#include "remote/worldcheck.h"

#include <QTest>

using namespace lockstep;

class TstWorldCheck : public QObject {
    Q_OBJECT

private slots:
    void world_data();
    void world();
};

void TstWorldCheck::world_data()
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

void TstWorldCheck::world()
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

QTEST_GUILESS_MAIN(TstWorldCheck)
#include "tst_worldcheck.moc"
