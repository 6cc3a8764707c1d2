// SPDX-License-Identifier: GPL-3.0-or-later
// The page of a run driven as a user drives it: what it says, what keys and buttons do, that it repaints only on
// change.
#include "tests/ui/maderun.h"
#include "tests/ui/madespool.h"
#include "ui/plots/laneplot.h"
#include "ui/plots/metricplot.h"
#include "ui/plots/plotcolumn.h"
#include "ui/plots/plotheader.h"
#include "ui/plots/runpicture.h"
#include "ui/plots/stepplot.h"
#include "ui/run/causecard.h"
#include "ui/run/headerfigures.h"
#include "ui/run/logmodel.h"
#include "ui/run/logpanel.h"
#include "ui/run/rankpanel.h"
#include "ui/run/runexport.h"
#include "ui/run/runheader.h"
#include "ui/run/runpage.h"
#include "ui/run/runtoolbar.h"
#include "ui/theme.h"
#include "ui/widgets/button.h"
#include "ui/widgets/datatable.h"

#include <QDateTime>
#include <QLineEdit>
#include <QListView>
#include <QMouseEvent>
#include <QSignalSpy>
#include <QSlider>
#include <QStandardPaths>
#include <QTest>

using namespace lockstep;
using namespace lockstep::ui;

namespace {

qint64 nowUs()
{
    return QDateTime::currentMSecsSinceEpoch() * 1000;
}

const HeaderFigure* figureNamed(const QList<HeaderFigure>& figures, const QString& caption)
{
    for (const HeaderFigure& figure : figures)
        if (figure.caption == caption)
            return &figure;
    return nullptr;
}

void failOnWarning(QtMsgType type, const QMessageLogContext&, const QString& message)
{
    // The offscreen platform says this of itself whatever a program does.
    if (type != QtDebugMsg && type != QtInfoMsg && !message.startsWith(QLatin1String("This plugin does not support")))
        qFatal("%s", qPrintable(message));
}

} // namespace

class TstRunPage : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void headerSaysHowTheRunStands();
    void staleIsSaidAfterOneSecond();
    void stopShowsItsGraceAndTheProof();
    void aStopOfALaunchKeepsItsGrace();
    void idlePageDoesNotRepaint();
    void aRecordRepaintsOnce();
    void keysMoveTheView();
    void wheelZoomsAtTheCursorAndDoubleClickFollows();
    void cursorIsSharedWithTheLog();
    void legendTurnsLinesIntoBands();
    void sixtyFourRanksAreBands();
    void filterKeyFiltersRanks();
    void fetchedFilesAreListed();
    void failedRunOpensOnItsCause();
    void replayHidesWhatCameLater();
    void aPlotCanBeAdded();
    void pictureIsOfBothSchemes();
    void exportSavesWhatIsSeen();

private:
    std::unique_ptr<Theme> m_theme;
};

void TstRunPage::initTestCase()
{
    QStandardPaths::setTestModeEnabled(true);
    m_theme = std::make_unique<Theme>(*qApp);
    m_theme->setChoice(SchemeChoice::Light);
    qInstallMessageHandler(failOnWarning);
}

void TstRunPage::headerSaysHowTheRunStands()
{
    const qint64 now = nowUs();
    const auto run = made::liveRun(now);
    const QList<HeaderFigure> figures = figuresOf(*run, now);
    QCOMPARE(figureNamed(figures, "step")->value, QStringLiteral("4,210"));
    QCOMPARE(figureNamed(figures, "step")->rest, QStringLiteral("of 9,380 · 45 %"));
    QCOMPARE(figureNamed(figures, "epoch")->value, QStringLiteral("6.7"));
    QCOMPARE(figureNamed(figures, "throughput")->value, QStringLiteral("11.3 k"));
    QCOMPARE(figureNamed(figures, "newest record")->rest, QStringLiteral("ago"));
    QCOMPARE(whereWords(*run), QStringLiteral("2 nodes × 4 ranks · nccl · attempt 1"));
    RunPage page(*m_theme, *run);
    QVERIFY(page.findChild<RunHeader*>()->stateWords().startsWith("running 00:12:4"));
}

void TstRunPage::staleIsSaidAfterOneSecond()
{
    const qint64 now = nowUs();
    const auto run = made::liveRun(now);
    const HeaderFigure stale = *figureNamed(figuresOf(*run, now + 1'500'000), "newest record");
    QCOMPARE(stale.rest, QStringLiteral("ago, stale"));
    QCOMPARE(stale.mood, HeaderFigure::Mood::Warn);
    RunState state = run->state();
    state.nodes[1].link = LinkPhase::Stale;
    run->setState(state);
    QCOMPARE(figureNamed(figuresOf(*run, now), "loss, mean")->rest, QStringLiteral("over 4 ranks"));
}

void TstRunPage::stopShowsItsGraceAndTheProof()
{
    auto run = made::emptyRun(1, 2, nowUs());
    RunPage page(*m_theme, *run);
    QSignalSpy stop(&page, &RunPage::stopRequested);
    Button& button = page.findChild<RunHeader*>()->stopButton();
    QTest::mouseClick(&button, Qt::LeftButton);
    QCOMPARE(stop.size(), 1);
    QCOMPARE(stop[0][0].toString(), run->state().id);
    QCOMPARE(stop[0][1].value<std::optional<int>>(), std::optional<int>()); // as the spec says
    QVERIFY2(button.text().startsWith("Stopping, 10 s of grace"), qPrintable(button.text()));
    QTest::mouseClick(&button, Qt::LeftButton); // whoever has seen enough
    QCOMPARE(stop.size(), 2);
    QCOMPARE(stop[1][1].value<std::optional<int>>(), std::optional<int>(0));
    QVERIFY(!button.isEnabled());
    QCOMPARE(button.text(), QStringLiteral("Ending what is left"));
    made::Spool spool(*run, 0);
    spool.stopping(61);
    spool.exit(0, 61.5, 0, 15);
    spool.exit(1, 61.5, 0, 15);
    spool.end(62, 2);
    made::feed(*run, 0, spool.text());
    RunState state = run->state();
    state.phase = RunPhase::Stopped;
    state.endedWallUs = nowUs();
    run->setState(state);
    QVERIFY(run->state().proof().contains("2 of 2 ranks gone, 0 left behind"));
    const HeaderFigure left = *figureNamed(page.findChild<HeaderFigures*>()->figures(), "left behind");
    QCOMPARE(left.value + ' ' + left.rest, QStringLiteral("0 of 2 ranks"));
}

void TstRunPage::aStopOfALaunchKeepsItsGrace()
{
    auto run = made::emptyRun(1, 2, nowUs());
    RunState state = run->state();
    state.phase = RunPhase::Starting;
    run->setState(state);
    RunPage page(*m_theme, *run);
    auto* header = page.findChild<RunHeader*>();
    header->stopButton().click();
    QCOMPARE(header->stopButton().text(), QStringLiteral("Stopping the launch"));
    QVERIFY(!header->stopButton().isEnabled());
    const qint64 later = nowUs() + 25'000'000; // the order to go was on its way, and it took its time
    state.stopRequested = true;
    run->setState(state);
    header->refresh(later);
    QCOMPARE(header->stopButton().text(), QStringLiteral("Stopping the launch"));
    state.phase = RunPhase::Stopping;
    run->setState(state);
    header->refresh(later + 1'000'000);
    QCOMPARE(header->stopButton().text(), QStringLiteral("Stopping, 9 s of grace"));
}

void TstRunPage::idlePageDoesNotRepaint()
{
    const auto run = made::demoRun(nowUs());
    RunPage page(*m_theme, *run);
    page.resize(1272, 876);
    page.show();
    QTRY_VERIFY(page.framesPainted() > 0);
    QTest::qWait(300); // what the first layout still asks for
    const int before = page.framesPainted();
    QTest::qWait(500);
    QCOMPARE(page.framesPainted(), before);
}

void TstRunPage::aRecordRepaintsOnce()
{
    const auto run = made::demoRun(nowUs());
    RunPage page(*m_theme, *run);
    page.resize(1272, 876);
    page.show();
    QTRY_VERIFY(page.framesPainted() > 0);
    QTest::qWait(300);
    const int before = page.framesPainted();
    for (int i = 0; i < 50; ++i) { // a burst is one frame, or two where it falls on the edge of one
        made::Spool spool(*run, 0);
        spool.say(0, 38, "x");
        made::feed(*run, 0, spool.text());
    }
    QTRY_VERIFY(page.framesPainted() > before);
    QTest::qWait(300);
    QVERIFY2(page.framesPainted() <= before + 3, qPrintable(QString::number(page.framesPainted() - before)));
}

void TstRunPage::keysMoveTheView()
{
    const auto run = made::demoRun(nowUs());
    RunPage page(*m_theme, *run);
    page.resize(1272, 876);
    page.show();
    QVERIFY(QTest::qWaitForWindowActive(&page));
    auto* loss = page.findChild<MetricPlot*>();
    QTRY_VERIFY(page.framesPainted() > 0);
    const YScale before = loss->canvas().frame().y.scale;
    page.setFocus();
    QTest::keyClick(&page, Qt::Key_L);
    QTRY_VERIFY(loss->canvas().frame().y.scale != before);
    QTest::keyClick(&page, Qt::Key_L);
    const QList<LegendEntry> legend = loss->header().legend();
    QTest::keyClick(&page, Qt::Key_S);
    QTRY_VERIFY(loss->header().legend() != legend); // says another smoothing
}

void TstRunPage::wheelZoomsAtTheCursorAndDoubleClickFollows()
{
    const auto run = made::demoRun(nowUs());
    RunPage page(*m_theme, *run);
    page.resize(1272, 876);
    page.show();
    QTRY_VERIFY(page.framesPainted() > 0);
    PlotCanvas& canvas = page.findChild<MetricPlot*>()->canvas();
    const PlotFrame whole = canvas.frame();
    const QPointF at(whole.area.left() + whole.area.width() * 0.25, whole.area.center().y());
    const double under = whole.xAt(at.x());
    QWheelEvent wheel(at, canvas.mapToGlobal(at), {}, {0, 240}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(&canvas, &wheel);
    QVERIFY(canvas.frame().x.size() < whole.x.size());
    QVERIFY(std::abs(canvas.frame().px(under) - at.x()) < 0.5);
    QVERIFY(page.findChild<LanePlot*>()->canvas().frame().x == canvas.frame().x); // all plots together
    QTest::mouseDClick(&canvas, Qt::LeftButton, {}, at.toPoint());
    QTRY_COMPARE(canvas.frame().x, whole.x);
}

void TstRunPage::cursorIsSharedWithTheLog()
{
    const auto run = made::demoRun(nowUs());
    RunPage page(*m_theme, *run);
    page.resize(1272, 876);
    page.show();
    QTRY_VERIFY(page.framesPainted() > 0);
    auto* loss = page.findChild<MetricPlot*>();
    const QList<LegendEntry> newest = loss->header().legend();
    const PlotFrame frame = loss->canvas().frame();
    const QPointF at(frame.px(6), frame.area.center().y());
    QMouseEvent move(QEvent::MouseMove, at, loss->canvas().mapToGlobal(at), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&loss->canvas(), &move);
    QTRY_VERIFY(loss->header().legend() != newest); // values at the cursor
    auto* log = page.findChild<LogPanel*>();
    QSignalSpy picked(log, &LogPanel::timePicked);
    const QModelIndex first = log->model().index(1);
    QTest::mouseClick(log->list().viewport(), Qt::LeftButton, {}, log->list().visualRect(first).center());
    QCOMPARE(picked.size(), 1);
    QCOMPARE(picked[0][0].toLongLong(), log->model().line(1).wallUs);
}

void TstRunPage::legendTurnsLinesIntoBands()
{
    const auto run = made::liveRun(nowUs());
    RunPage page(*m_theme, *run);
    page.resize(1272, 876);
    page.show();
    auto* loss = page.findChild<MetricPlot*>();
    QTRY_VERIFY(page.framesPainted() > 0);
    QCOMPARE(loss->detail(), CurveDetail::Lines);
    QCOMPARE(loss->header().legend()[1].name, QStringLiteral("rank 6, worst"));
    QCOMPARE(loss->header().note().section(QStringLiteral(" · "), 0, 0), QStringLiteral("8 × 4,210 points"));
    QTest::mouseClick(&loss->header(), Qt::LeftButton);
    QCOMPARE(loss->detail(), CurveDetail::Bands);
    QVERIFY(std::abs(page.findChild<StepPlot*>()->value(StepPart::Forward) - 51) < 3);
}

void TstRunPage::sixtyFourRanksAreBands()
{
    const auto run = made::wideRun(nowUs());
    RunPage page(*m_theme, *run);
    page.resize(1272, 876);
    page.show();
    auto* loss = page.findChild<MetricPlot*>();
    QTRY_VERIFY(page.framesPainted() > 0);
    QCOMPARE(loss->detail(), CurveDetail::Bands);
    QStringList names;
    for (const LegendEntry& entry : loss->header().legend())
        names << entry.name;
    QCOMPARE(names, (QStringList{"mean", "10–90 %", "min–max", "rank 19, worst", "1 NaN or ∞"}));
}

void TstRunPage::filterKeyFiltersRanks()
{
    const auto run = made::wideRun(nowUs());
    RunPage page(*m_theme, *run);
    page.resize(1272, 876);
    page.show();
    QVERIFY(QTest::qWaitForWindowActive(&page));
    page.setFocus();
    QTest::keyClick(&page, Qt::Key_Slash);
    auto* field = qobject_cast<QLineEdit*>(page.focusWidget());
    QVERIFY(field);
    QTest::keyClicks(field, QStringLiteral("no news"));
    QTRY_COMPARE(page.findChild<RankPanel*>()->table().model()->rowCount(), 8);
    QCOMPARE(field->text(), QStringLiteral("no news")); // letters are no shortcuts while one types
}

void TstRunPage::fetchedFilesAreListed()
{
    auto run = made::emptyRun(1, 2, nowUs());
    RunPage page(*m_theme, *run);
    page.resize(1272, 876);
    page.show();
    auto* files = page.findChild<QPushButton*>(QStringLiteral("showFiles"));
    QVERIFY(files && !files->isVisible()); // the spec asks for none
    RunSpec spec = run->spec();
    spec.results = {QStringLiteral("*.pt"), QStringLiteral("out/**")};
    run->setPlan(spec, run->plan());
    run->setState(run->state());
    QTRY_VERIFY(files->isVisible());
    QSignalSpy wanted(&page, &RunPage::resultsWanted);
    QSignalSpy fetch(&page, &RunPage::fetchResultsRequested);
    QSignalSpy open(&page, &RunPage::openFolderRequested);
    files->click();
    QCOMPARE(wanted.size(), 1);
    QCOMPARE(wanted[0][0].toString(), run->state().id);
    RunResults results;
    results.folder = QStringLiteral("/data/results");
    results.files = {{QStringLiteral("gpu1"), "out/last.pt", "", 41'000'000, 41'000'000,
                      QStringLiteral("/data/results/gpu1/out/last.pt")},
                     {QStringLiteral("gpu1"), "step.pt", "", 2000, 500, QStringLiteral("/data/results/gpu1/step.pt")}};
    page.setResults(results);
    auto* table = page.findChild<DataTable*>(QStringLiteral("results"));
    QCOMPARE(table->model()->rowCount(), 2);
    const auto text = [table](int row, int column) { return table->model()->index(row, column).data().toString(); };
    QCOMPARE(text(0, 2), QStringLiteral("41 MB"));
    QCOMPARE(text(0, 3), QStringLiteral("here"));
    QCOMPARE(text(1, 3), QStringLiteral("fetching, 25 %")); // the run goes on
    auto* again = page.findChild<QPushButton*>(QStringLiteral("fetchResults"));
    QVERIFY(!again->isEnabled());
    RunState state = run->state();
    state.phase = RunPhase::Finished;
    run->setState(state);
    results.missing = QStringLiteral("gpu1 is unreachable");
    page.setResults(results);
    QCOMPARE(text(1, 3), QStringLiteral("only 25 %"));
    again->click();
    QCOMPARE(fetch.size(), 1);
    page.findChild<QPushButton*>(QStringLiteral("openResults"))->click();
    table->selectSourceRow(0);
    QTest::keyClick(table, Qt::Key_Return);
    QCOMPARE(open.size(), 2);
    QCOMPARE(open[0][0].toString(), results.folder);
    QCOMPARE(open[1][0].toString(), QStringLiteral("/data/results/gpu1/out"));
}

void TstRunPage::failedRunOpensOnItsCause()
{
    const auto run = made::failedRun(nowUs());
    RunPage page(*m_theme, *run);
    page.resize(1272, 876);
    page.show();
    auto* card = page.findChild<CauseCard*>();
    QVERIFY(card->isVisible());
    QVERIFY2(card->title().startsWith("Rank 5 on gpu2 was killed by SIGKILL"), qPrintable(card->title()));
    QCOMPARE(page.findChild<RankPanel*>()->table().selectedSourceRows(), QList<int>{0});
    QSignalSpy again(&page, &RunPage::launchAgainRequested);
    for (Button* button : card->findChildren<Button*>())
        if (button->text().startsWith("Launch again"))
            QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(again.size(), 1);
    for (Button* button : card->findChildren<Button*>())
        if (button->text() == "Open in log")
            QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(page.findChild<LogPanel*>()->model().filter().rank, std::optional<int>(5));
}

void TstRunPage::replayHidesWhatCameLater()
{
    const auto run = made::failedRun(nowUs());
    RunPage page(*m_theme, *run);
    page.resize(1272, 876);
    page.show();
    QTRY_VERIFY(page.framesPainted() > 0);
    auto* loss = page.findChild<MetricPlot*>();
    const QString atEnd = loss->header().legend()[0].value;
    QSlider& slider = page.findChild<RunToolbar*>()->replaySlider();
    QVERIFY(slider.isVisible());
    slider.setValue(slider.maximum() / 10);
    QTRY_VERIFY(loss->header().legend()[0].value.toDouble() > atEnd.toDouble() + 1); // the loss of then
    slider.setValue(slider.maximum());
    QTRY_COMPARE(loss->header().legend()[0].value, atEnd);
}

void TstRunPage::aPlotCanBeAdded()
{
    const auto run = made::demoRun(nowUs());
    RunPage page(*m_theme, *run);
    page.resize(1272, 876);
    page.show();
    auto* column = page.findChild<PlotColumn*>();
    emit page.findChild<RunToolbar*>()->plotToggled(QStringLiteral("samples_per_s"));
    QVERIFY(column->hasPlot(QStringLiteral("samples_per_s")));
    QTRY_COMPARE(column->findChildren<MetricPlot*>().size(), 2);
    emit page.findChild<RunToolbar*>()->plotToggled(QStringLiteral("samples_per_s"));
    QVERIFY(!column->hasPlot(QStringLiteral("samples_per_s")));
}

void TstRunPage::pictureIsOfBothSchemes()
{
    const auto run = made::demoRun(nowUs());
    m_theme->setChoice(SchemeChoice::Dark);
    const QImage dark = renderRunPlots(*m_theme, *run, {900, 700});
    m_theme->setChoice(SchemeChoice::Light);
    const QImage light = renderRunPlots(*m_theme, *run, {900, 700});
    QCOMPARE(light.size(), QSize(900, 700));
    QCOMPARE(light.pixelColor(2, 2), tokens(Scheme::Light).surface);
    QCOMPARE(dark.pixelColor(2, 2), tokens(Scheme::Dark).surface);
    // Rank 0's curve is there, in its colour.
    int inColour = 0;
    for (int y = 0; y < light.height(); ++y)
        for (int x = 60; x < 820; ++x)
            inColour += light.pixelColor(x, y) == seriesColour(tokens(Scheme::Light), 0) ? 1 : 0;
    QVERIFY2(inColour > 20, qPrintable(QString::number(inColour)));
}

void TstRunPage::exportSavesWhatIsSeen()
{
    const auto run = made::demoRun(nowUs());
    RunPage page(*m_theme, *run);
    page.resize(1272, 876);
    page.show();
    QTRY_VERIFY(page.framesPainted() > 0);
    const QString path = freePath(*run, QStringLiteral("png"));
    emit page.findChild<RunHeader*>()->exportRequested(QStringLiteral("png"));
    QVERIFY(QImage(path).width() > 400);
    QVERIFY(freePath(*run, QStringLiteral("png")) != path); // nothing is overwritten
    QVERIFY(QFile::remove(path));
    QSignalSpy asked(&page, &RunPage::exportRequested);
    emit page.findChild<RunHeader*>()->exportRequested(QStringLiteral("csv"));
    QCOMPARE(asked.size(), 1);
    QVERIFY(commandsText(*run).contains("# rank 1 on this"));
}

QTEST_MAIN(TstRunPage)
#include "tst_runpage.moc"
