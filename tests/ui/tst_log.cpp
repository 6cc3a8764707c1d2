// SPDX-License-Identifier: GPL-3.0-or-later
// The log: what is shown of raw output, filters, following, 200,000 lines.
#include "tests/ui/maderun.h"
#include "tests/ui/madespool.h"
#include "ui/run/logmodel.h"
#include "ui/run/logtext.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

using namespace lockstep;
using namespace lockstep::ui;

class TstLog : public QObject {
    Q_OBJECT

private slots:
    void plainText_data();
    void plainText();
    void severity_data();
    void severity();
    void newLinesAreAppended();
    void filterByRankAndWords();
    void linesOfTwoNodesAreInOrderOfTime();
    void rowAtATime();
    void oldLinesAreLetGo();
};

void TstLog::plainText_data()
{
    QTest::addColumn<QString>("raw");
    QTest::addColumn<QString>("expected");
    QTest::newRow("plain") << "step 5"
                           << "step 5";
    QTest::newRow("case 35") << "10%\r20%\r\x1b[31m30%\x1b[0m"
                             << "30%";
    QTest::newRow("carriage return at the end") << "done\r"
                                                << "done";
    QTest::newRow("link") << "\x1b]8;;http://a\x1b\\b\x1b]8;;\x07"
                          << "b";
    QTest::newRow("cut sequence") << "a\x1b[31"
                                  << "a";
    QTest::newRow("tab") << "a\tb"
                         << "a    b";
    QTest::newRow("bell") << "a\x07"
                          << "a";
    QTest::newRow("umlaut") << "grün ✓"
                            << "grün ✓";
}

void TstLog::plainText()
{
    QFETCH(QString, raw);
    QTEST(ui::plainText(raw), "expected");
}

void TstLog::severity_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("expected");
    QTest::newRow("usual") << "step 4210 loss 2.47" << int(LogSeverity::Usual);
    QTest::newRow("warning") << "UserWarning: corrupt EXIF" << int(LogSeverity::Warning);
    QTest::newRow("error") << "RuntimeError: Connection closed by peer" << int(LogSeverity::Bad);
    QTest::newRow("nan") << "loss is nan at step 395" << int(LogSeverity::Bad);
    QTest::newRow("not in a word") << "nanny of 3 information lines" << int(LogSeverity::Usual);
    QTest::newRow("killed") << "killed by SIGKILL" << int(LogSeverity::Bad);
}

void TstLog::severity()
{
    QFETCH(QString, text);
    QTEST(int(severityOf(text)), "expected");
}

void TstLog::newLinesAreAppended()
{
    auto run = made::emptyRun(2, 2, 1'700'000'000'000'000);
    LogModel model(*run);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
    for (int i = 0; i < 3; ++i) {
        made::Spool spool(*run, 0);
        spool.say(0, i, "line " + std::to_string(i));
        made::feed(*run, 0, spool.text());
        model.refresh();
        QCOMPARE(model.rowCount(), i + 1);
    }
    QCOMPARE(reset.size(), 0);
    QVERIFY(model.index(2).data().toString().endsWith("gpu1 rank 0 line 2"));
}

void TstLog::filterByRankAndWords()
{
    auto run = made::emptyRun(2, 2, 1'700'000'000'000'000);
    made::Spool first(*run, 0), second(*run, 1);
    first.say(0, 1, "epoch 1 done");
    first.say(1, 2, "loader warm");
    second.say(2, 3, "epoch 1 DONE");
    made::feed(*run, 0, first.text());
    made::feed(*run, 1, second.text());
    LogModel model(*run);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QCOMPARE(model.rowCount(), 3);
    model.setFilter({.rank = 1, .nodeIndex = {}, .words = {}});
    QCOMPARE(model.rowCount(), 1);
    model.setFilter({.rank = {}, .nodeIndex = {}, .words = QStringLiteral("done")});
    QCOMPARE(model.rowCount(), 2);
    model.setFilter({.rank = 2, .nodeIndex = {}, .words = QStringLiteral("done")});
    QCOMPARE(model.line(0).rank, 2);
    model.setFilter({});
    QCOMPARE(model.rowCount(), 3);
}

void TstLog::linesOfTwoNodesAreInOrderOfTime()
{
    auto run = made::emptyRun(2, 1, 1'700'000'000'000'000);
    LogModel model(*run);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    for (const int node : {0, 1}) { // as a reopened run is read: spool after spool
        made::Spool spool(*run, node);
        for (int i = 0; i < 5; ++i)
            spool.say(node, 2 * i + node, std::to_string(2 * i + node));
        made::feed(*run, node, spool.text());
        model.refresh();
    }
    for (int row = 0; row < 10; ++row)
        QCOMPARE(model.line(row).text, QString::number(row));
}

void TstLog::rowAtATime()
{
    auto run = made::emptyRun(1, 1, 1'700'000'000'000'000);
    made::Spool spool(*run, 0);
    for (int i = 0; i < 10; ++i)
        spool.say(0, 10 + i, "x");
    made::feed(*run, 0, spool.text());
    LogModel model(*run);
    const qint64 start = run->state().startedWallUs;
    QCOMPARE(model.rowAt(start + 5'000'000), -1);
    QCOMPARE(model.rowAt(start + 13'500'000), 3);
    QCOMPARE(model.rowAt(start + 100'000'000), 9);
}

void TstLog::oldLinesAreLetGo()
{
    auto run = made::emptyRun(1, 1, 1'700'000'000'000'000);
    LogModel model(*run);
    constexpr int kBlock = 60'000;
    int written = 0;
    while (run->logDropped() == 0) {
        made::Spool spool(*run, 0);
        for (int i = 0; i < kBlock; ++i, ++written)
            spool.say(0, 1e-3 * written, std::to_string(written));
        made::feed(*run, 0, spool.text());
        model.refresh();
        QVERIFY(written < 10 * kBlock);
    }
    QCOMPARE(model.rowCount(), static_cast<int>(run->log().size()));
    QCOMPARE(model.line(model.rowCount() - 1).text, QString::number(written - 1));
    QCOMPARE(model.line(0).text, QString::number(run->logDropped()));
}

QTEST_GUILESS_MAIN(TstLog)
#include "tst_log.moc"
