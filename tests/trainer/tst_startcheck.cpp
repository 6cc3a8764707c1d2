// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks that are not one job are told so before the first step, each of them, by what differs.
#include "tests/trainer/ranks.h"

#include <QTemporaryDir>
#include <QTest>

using namespace lockstep::test;

namespace {

constexpr int kMismatch = 10;

} // namespace

class TestStartCheck : public QObject {
    Q_OBJECT

private slots:
    void whatDiffersIsNamedOnEveryRank_data();
    void whatDiffersIsNamedOnEveryRank();
    void whatMayDiffer_data();
    void whatMayDiffer();
    void graphsAreRefusedWithTheReason();
};

void TestStartCheck::whatDiffersIsNamedOnEveryRank_data()
{
    QTest::addColumn<QStringList>("onRankOne");
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("rate") << QStringList{"--lr", "0.5"} << QByteArray("--lr is 0 on ranks 0, 2, 0.5 on rank 1");
    QTest::newRow("two") << QStringList{"--seed", "3", "--batch", "8"}
                         << QByteArray(
                                "--batch is 16 on ranks 0, 2, 8 on rank 1; --seed is 0 on ranks 0, 2, 3 on rank 1");
    QTest::newRow("a path on one only") << QStringList{"--checkpoint", "/tmp"}
                                        << QByteArray("--checkpoint is not given on ranks 0, 2, given on rank 1");
    QTest::newRow("samples") << QStringList{"--synthetic-samples", "900"}
                             << QByteArray("--synthetic-samples is 1000 on ranks 0, 2, 900 on rank 1");
}

void TestStartCheck::whatDiffersIsNamedOnEveryRank()
{
    QFETCH(QStringList, onRankOne);
    QFETCH(QByteArray, words);
    Ranks ranks(3, quick({"--steps", "2"}), [&onRankOne](Start& start) {
        if (start.rank == 1)
            start.options += onRankOne;
    });
    QVERIFY(ranks.finish());
    for (int rank = 0; rank < 3; ++rank) {
        const QByteArray errors = ranks.errors(rank);
        QVERIFY2(errors.contains("the ranks differ: " + words), errors.constData());
        QCOMPARE(errors.count('\n'), 1);
        QCOMPARE(ranks.exitCode(rank), kMismatch);
        QCOMPARE(ranks.fact(rank, "failure_code"), std::to_string(kMismatch));
        QVERIFY(QByteArray::fromStdString(ranks.fact(rank, "failure")).contains(words));
    }
}

void TestStartCheck::whatMayDiffer_data()
{
    QTest::addColumn<QStringList>("onRankOne");
    QTest::newRow("hands") << QStringList{"--workers", "1", "--prefetch", "3", "--threads", "2"};
    QTest::newRow("places") << QStringList{"--dump-parameters", "there"};
}

void TestStartCheck::whatMayDiffer()
{
    QFETCH(QStringList, onRankOne);
    const QTemporaryDir folder;
    const bool places = onRankOne.contains("there");
    onRankOne.replaceInStrings("there", folder.filePath("there"));
    Ranks ranks(2, quick({"--steps", "2"}), [&](Start& start) {
        if (start.rank == 1)
            start.options += onRankOne;
        else if (places)
            start.options += {"--dump-parameters", folder.filePath("here")};
    });
    QVERIFY(ranks.finish());
    for (int rank = 0; rank < 2; ++rank)
        QVERIFY2(ranks.exitCode(rank) == 0, ranks.errors(rank).constData());
}

void TestStartCheck::graphsAreRefusedWithTheReason()
{
    Ranks alone(0, quick({"--cuda-graphs", "yes"}));
    QVERIFY(alone.finish());
    const QByteArray errors = alone.errors(0);
    QVERIFY2(errors.contains("--cuda-graphs yes cannot hold here: they are for GPUs"), errors.constData());
    QCOMPARE(alone.exitCode(0), 2);
}

QTEST_GUILESS_MAIN(TestStartCheck)
#include "tst_startcheck.moc"
