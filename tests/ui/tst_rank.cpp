// SPDX-License-Identifier: GPL-3.0-or-later
// The rank table: which rank is named for what, in which order, and that a moving table keeps its selection.
#include "tests/ui/maderun.h"
#include "tests/ui/madespool.h"
#include "ui/run/rankmodel.h"
#include "ui/run/runnotices.h"

#include <QAbstractItemModelTester>
#include <QPersistentModelIndex>
#include <QSignalSpy>
#include <QTest>

using namespace lockstep;
using namespace lockstep::ui;

namespace {

constexpr qint64 kNow = 1'700'000'000'000'000;

const RankRow* rowOf(const QList<RankRow>& rows, int rank)
{
    for (const RankRow& row : rows)
        if (row.rank == rank)
            return &row;
    return nullptr;
}

} // namespace

class TstRank : public QObject {
    Q_OBJECT

private slots:
    void troubleIsNamed_data();
    void troubleIsNamed();
    void slowRankIsNamedWithin20Steps();
    void evenRanksAreNeverNamed();
    void causeStandsFirstAndVictimsByTime();
    void noticesAreSentences();
    void aRefreshTellsWhatChanged();
};

void TstRank::troubleIsNamed_data()
{
    QTest::addColumn<int>("rank");
    QTest::addColumn<QString>("words");
    QTest::newRow("not a number") << 37 << "1 NaN, step 395";
    QTest::newRow("link lost") << 40 << "no news 0:12";
    QTest::newRow("worst loss") << 19 << "worst loss, +";
    QTest::newRow("data") << 48 << "waits for data";
    QTest::newRow("nothing") << 0 << "training";
}

void TstRank::troubleIsNamed()
{
    static const auto run = made::wideRun(kNow); // 64 ranks: made once for all rows
    QFETCH(int, rank);
    QFETCH(QString, words);
    const QList<RankRow> rows = rankRows(*run, kNow);
    QCOMPARE(rows.size(), 64);
    QVERIFY2(rowOf(rows, rank)->words.startsWith(words), qPrintable(rowOf(rows, rank)->words));
    QCOMPARE(rows.first().rank, 37);
    QCOMPARE(rows[1].rank, 40);
    QVERIFY(rows[1].stale);
}

void TstRank::slowRankIsNamedWithin20Steps()
{
    auto run = made::emptyRun(2, 2, kNow);
    made::Training training{.steps = 60, .seconds = 60};
    training.slowRank = 3;
    training.slowMs = 200;
    training.slowFrom = 40; // 20 steps before the end
    for (int node = 0; node < 2; ++node) {
        made::Spool spool(*run, node);
        spool.train(training);
        made::feed(*run, node, spool.text());
    }
    const std::vector<double> slow = slowness(*run);
    QVERIFY2(std::abs(slow[3] - 200) < 10, qPrintable(QString::number(slow[3])));
    QCOMPARE(slow[0], 0.0);
    QCOMPARE(slow[1], 0.0);
    QCOMPARE(slow[2], 0.0);
}

void TstRank::evenRanksAreNeverNamed()
{
    // Looked at after each of 1000 even steps.
    auto run = made::emptyRun(1, 8, kNow);
    made::Spool whole(*run, 0);
    whole.train({.steps = 1000, .seconds = 1000});
    // One step of all ranks at a time: the spool holds rank after rank.
    std::vector<std::string> bySteps(1001);
    std::string rest = whole.text();
    for (std::size_t at = 0; at < rest.size();) {
        const std::size_t end = rest.find('\n', at) + 1;
        const std::string line = rest.substr(at, end - at);
        const std::size_t step = line.find(" step=");
        bySteps[line.starts_with("metric") ? static_cast<std::size_t>(std::stoi(line.substr(step + 6))) : 0] += line;
        at = end;
    }
    RunDecoder decoder(0, 0);
    decoder.setStartWallUs(run->state().startedWallUs);
    for (std::size_t step = 0; step < bySteps.size(); ++step) {
        run->apply(decoder.feed(bySteps[step]));
        for (const double excess : slowness(*run))
            QVERIFY2(excess == 0, qPrintable(QStringLiteral("step %1: %2 ms").arg(step).arg(excess)));
    }
}

void TstRank::causeStandsFirstAndVictimsByTime()
{
    const auto run = made::failedRun(kNow);
    const QList<RankRow> rows = rankRows(*run, kNow);
    QCOMPARE(rows.first().rank, 5);
    QCOMPARE(rows.first().trouble, RankTrouble::Cause);
    QCOMPARE(rows[1].rank, 4); // the first of the victims to end
    QVERIFY(rows[1].words.startsWith("victim"));
    for (qsizetype i = 2; i < rows.size(); ++i)
        QVERIFY(rows[i].endedWallUs >= rows[i - 1].endedWallUs);
    QCOMPARE(rankSummary(*run, rows), QStringLiteral("8 ended, cause first"));
}

void TstRank::noticesAreSentences()
{
    const auto live = made::liveRun(kNow);
    const QList<RankRow> rows = rankRows(*live, kNow);
    const auto slow = slowNotice(*live, rows);
    QVERIFY(slow);
    QVERIFY2(slow->title.startsWith("Rank 6 on gpu2 computes "), qPrintable(slow->title));
    QVERIFY2(slow->detail.contains("Device gpu2:2 is at 84 °C and clocked at 1,755 MHz"), qPrintable(slow->detail));
    QVERIFY(!linkNotice(*live, kNow));
    QCOMPARE(rankSummary(*live, rows), QStringLiteral("8 training, 1 of them slow"));

    const auto wide = made::wideRun(kNow);
    const auto link = linkNotice(*wide, kNow);
    QVERIFY(link);
    QVERIFY2(link->title.startsWith("gpu6: no news since 12 s"), qPrintable(link->title));
    QVERIFY(link->detail.contains("Ranks 40–47 may well be running"));
}

void TstRank::aRefreshTellsWhatChanged()
{
    auto run = made::emptyRun(1, 4, kNow);
    made::Spool spool(*run, 0);
    spool.train({.steps = 30, .seconds = 30});
    made::feed(*run, 0, spool.text());
    RankModel model(*run, RankColumns::Live);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.refresh(kNow);
    QCOMPARE(model.rowCount(), 4);
    const QPersistentModelIndex third = model.index(2, 0);
    QCOMPARE(third.data().toString(), QStringLiteral("2"));
    QSignalSpy reset(&model, &QAbstractItemModel::modelReset), changed(&model, &QAbstractItemModel::dataChanged);
    model.refresh(kNow);
    QCOMPARE(changed.size(), 0); // nothing new, nothing said
    made::Spool later(*run, 0);
    later.exit(2, 31, 1, 0);
    made::feed(*run, 0, later.text());
    model.refresh(kNow);
    QCOMPARE(reset.size(), 0);
    QVERIFY(!changed.isEmpty());
    QCOMPARE(model.rows().first().rank, 2);
    QCOMPARE(third.row(), 0); // the selection goes with its rank
    QCOMPARE(third.data().toString(), QStringLiteral("2"));
}

QTEST_GUILESS_MAIN(TstRank)
#include "tst_rank.moc"
