// SPDX-License-Identifier: GPL-3.0-or-later
// The Runs page and the window around the pages.
#include "tests/ui/uitest.h"
#include "ui/runs/comparison.h"
#include "ui/runs/runmodel.h"
#include "ui/runs/runspage.h"
#include "ui/runs/runwords.h"
#include "ui/widgets/combo.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/field.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QItemSelectionModel>
#include <QSignalSpy>
#include <QTest>

#include <cmath>

using namespace lockstep;
using namespace lockstep::ui;

class TestRuns : public UiTest {
    Q_OBJECT

private slots:
    void started_data()
    {
        QTest::addColumn<QDateTime>("then");
        QTest::addColumn<QString>("words");
        const QDateTime now(QDate(2026, 11, 29), QTime(16, 0));
        QTest::newRow("today") << now.addSecs(-3600) << "15:00 today";
        QTest::newRow("yesterday, less than a day ago") << now.addSecs(-17 * 3600) << "yesterday";
        QTest::newRow("this year") << now.addDays(-3) << "26 Nov";
        QTest::newRow("last year") << now.addDays(-365) << "29 Nov 2025";
    }
    void started()
    {
        QFETCH(QDateTime, then);
        QFETCH(QString, words);
        QCOMPARE(startedText(then.toMSecsSinceEpoch() * 1000, QDateTime(QDate(2026, 11, 29), QTime(16, 0))), words);
    }

    void duration_data()
    {
        QTest::addColumn<qint64>("seconds");
        QTest::addColumn<QString>("words");
        QTest::newRow("short") << qint64(48) << "00:48";
        QTest::newRow("minutes") << qint64(1692) << "28:12";
        QTest::newRow("hours") << qint64(9590) << "2:39:50";
    }
    void duration()
    {
        QFETCH(qint64, seconds);
        QFETCH(QString, words);
        RunSummary run;
        run.phase = RunPhase::Finished;
        run.createdWallUs = 1'000'000;
        run.endedWallUs = run.createdWallUs + seconds * 1'000'000;
        QCOMPARE(durationText(run, 0), words);
        run.phase = RunPhase::Running; // a live one counts until now
        QCOMPARE(durationText(run, run.endedWallUs), words);
    }

    void modelFollowsTheList()
    {
        RunList runs;
        RunModel model(runs);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        runs.setRuns(made::runs());
        QCOMPARE(model.rowCount(), 12);
        QCOMPARE(model.index(1, RunModel::Name).data().toString(), QStringLiteral("resnet50-imagenet #11"));
        QCOMPARE(model.index(6, RunModel::Shape).data().toString(), QStringLiteral("8 × 8"));
        QCOMPARE(model.index(4, RunModel::State).data().toString(), QStringLiteral("out of memory, gpu2"));
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        RunSummary live = runs.runs().first();
        live.lastLoss = 1.25;
        runs.update(live);
        QCOMPARE(changed.size(), 1);
        QCOMPARE(changed[0][0].toModelIndex().row(), 0);
        QCOMPARE(model.index(0, RunModel::LastLoss).data().toString(), QStringLiteral("1.25"));
        RunSummary fresh = live;
        fresh.id = QStringLiteral("fresh");
        fresh.lastLoss = NAN;
        runs.update(fresh);
        QCOMPARE(model.rowCount(), 13);
        QCOMPARE(model.index(0, RunModel::LastLoss).data().toString(), QStringLiteral("–"));
    }

    void enterOpensTheRun()
    {
        RunList runs;
        runs.setRuns(made::runs());
        RunsPage page(*m_theme, runs);
        page.resize(1272, 876);
        page.show();
        auto* table = page.findChild<DataTable*>(QStringLiteral("runs"));
        QSignalSpy open(&page, &RunsPage::openRunRequested);
        table->selectSourceRow(2);
        QTest::keyClick(table, Qt::Key_Return);
        QCOMPARE(open.size(), 1);
        QCOMPARE(open[0][0].toString(), made::runs()[2].id);
    }

    void filtersMeetInTheTable()
    {
        RunList runs;
        runs.setRuns(made::runs());
        RunsPage page(*m_theme, runs);
        page.show();
        auto* table = page.findChild<DataTable*>(QStringLiteral("runs"));
        const auto combos = page.findChildren<Combo*>();
        for (Combo* combo : combos)
            if (combo->findText(QStringLiteral("Failed")) >= 0)
                combo->setCurrentIndex(combo->findText(QStringLiteral("Failed")));
        QCOMPARE(table->model()->rowCount(), 3); // two failed, one lost
        QTest::keyClicks(page.findChild<Field*>(), QStringLiteral("vit"));
        QCOMPARE(table->model()->rowCount(), 2);
        for (Combo* combo : combos)
            if (combo->findText(QStringLiteral("demo")) >= 0)
                combo->setCurrentIndex(combo->findText(QStringLiteral("demo")));
        QCOMPARE(table->model()->rowCount(), 0);
    }

    void sortingByLossPutsUnknownLast()
    {
        RunList runs;
        QList<RunSummary> all = made::runs();
        all[3].lastLoss = NAN;
        runs.setRuns(all);
        RunsPage page(*m_theme, runs);
        page.show();
        auto* table = page.findChild<DataTable*>(QStringLiteral("runs"));
        table->sortByColumn(RunModel::LastLoss, Qt::AscendingOrder);
        QCOMPARE(table->model()->index(0, RunModel::LastLoss).data().toString(), QStringLiteral("0.19"));
        QCOMPARE(table->model()->index(11, RunModel::LastLoss).data().toString(), QStringLiteral("–"));
    }

    void selectedRunsAreComparedBySettings()
    {
        Comparison model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const QList<RunSummary> both = made::runs().sliced(1, 2);
        QHash<QString, RunSpec> specs{{both[0].id, made::spec(0.8, 0)}, {both[1].id, made::spec(0.4, 1)}};
        model.setRuns(both, specs, Comparison::Show::Differing);
        QCOMPARE(model.differing(), 2);
        QCOMPARE(model.columnCount(), 3);
        QCOMPARE(model.headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(), QStringLiteral("#11"));
        QCOMPARE(model.index(0, 0).data().toString(), QStringLiteral("lr"));
        QCOMPARE(model.index(0, 1).data().toString(), QStringLiteral("0.8"));
        QCOMPARE(model.index(0, 2).data().toString(), QStringLiteral("0.4"));
        const int differing = model.rowCount();
        model.setRuns(both, specs, Comparison::Show::All);
        QCOMPARE(model.rowCount(), differing + model.settings() - 2);
    }

    void selectingAsksForTheSettings()
    {
        RunList runs;
        runs.setRuns(made::runs());
        RunsPage page(*m_theme, runs);
        page.show();
        QSignalSpy wanted(&page, &RunsPage::runSpecWanted);
        page.findChild<DataTable*>(QStringLiteral("runs"))->selectSourceRow(1);
        QVERIFY(wanted.size() >= 1);
        QCOMPARE(wanted.last()[0].toString(), made::runs()[1].id);
        QCOMPARE(page.selectedCount(), 1);
    }
};

QTEST_MAIN(TestRuns)
#include "tst_runs.moc"
