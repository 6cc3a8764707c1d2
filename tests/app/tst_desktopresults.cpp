// SPDX-License-Identifier: GPL-3.0-or-later
// The files of a run that has finished while its last ones still come.
#include "app/desktopresults.h"
#include "core/resultsshelf.h"
#include "tests/ui/maderun.h"
#include "ui/widgets/datatable.h"

#include <QAbstractItemModel>
#include <QApplication>
#include <QDateTime>
#include <QFile>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

using namespace lockstep;

class TestDesktopResults : public QObject {
    Q_OBJECT

private slots:
    void lastFilesComeAfterTheRanks();
};

void TestDesktopResults::lastFilesComeAfterTheRanks()
{
    const QTemporaryDir folder;
    ui::Theme theme(*qApp);
    NodeList nodes;
    RunList runs;
    ui::MainWindow window(theme, nodes, runs);
    Desk desk{DataFolder(folder.path())};
    StoreThread store(desk.folder);
    bool isFollowed = true;
    DesktopResults results(desk, store, nodes, window, [&isFollowed](const QString&) { return isFollowed; });

    const auto made = made::emptyRun(1, 1, QDateTime::currentMSecsSinceEpoch() * 1000);
    RunState state = made->state();
    state.phase = RunPhase::Finished;
    RunSpec spec = made->spec();
    spec.results = {QStringLiteral("*.pt")};
    RunData& run = runs.attach(state.id);
    run.setPlan(spec, made->plan());
    run.setState(state);
    ResultsShelf shelf(desk.folder.resultsFolder(state.id), QStringLiteral("gpu1"));
    const auto entry = shelf.begin("last.pt", QByteArray(32, 'a'), 1000);
    QVERIFY2(entry, entry ? "" : qPrintable(entry.error().text));
    QFile part(shelf.incomingFile(*entry));
    QVERIFY(part.open(QIODevice::WriteOnly | QIODevice::Unbuffered));
    QCOMPARE(part.write(QByteArray(400, 'x')), 400);

    window.show();
    window.showRun(state.id);
    auto* files = window.findChild<QPushButton*>(QStringLiteral("showFiles"));
    QTRY_VERIFY(files && files->isVisible());
    files->click();
    auto* table = window.findChild<ui::DataTable*>(QStringLiteral("results"));
    auto* again = window.findChild<QPushButton*>(QStringLiteral("fetchResults"));
    const auto here = [table] { return table->model()->index(0, 3).data().toString(); };
    QTRY_COMPARE(here(), QStringLiteral("fetching, 40 %"));
    QVERIFY(!again->isEnabled());
    QCOMPARE(part.write(QByteArray(300, 'x')), 300);
    results.tell(state.id); // as for each file that has come
    results.tell(state.id);
    QTRY_COMPARE(here(), QStringLiteral("fetching, 70 %"));
    isFollowed = false;
    results.tell(state.id); // its session has ended
    QTRY_COMPARE(here(), QStringLiteral("only 70 %"));
    QVERIFY(again->isEnabled());
}

QTEST_MAIN(TestDesktopResults)
#include "tst_desktopresults.moc"
