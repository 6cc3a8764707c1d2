// SPDX-License-Identifier: GPL-3.0-or-later
// The pure parts of the plots: figures, ticks, bands, smoothing, curve pieces, labels, the shared view.
#include "ui/plots/bands.h"
#include "ui/plots/curvepath.h"
#include "ui/plots/figures.h"
#include "ui/plots/framepacer.h"
#include "ui/plots/rankcurves.h"
#include "ui/plots/smoothedseries.h"
#include "ui/plots/ticks.h"

#include <QSignalSpy>
#include <QTest>

#include <cmath>
#include <limits>

using namespace lockstep;
using namespace lockstep::ui;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Series seriesOf(const std::vector<double>& ys)
{
    Series series;
    for (std::size_t i = 0; i < ys.size(); ++i)
        series.append(static_cast<double>(i), ys[i]);
    return series;
}

std::vector<Column> columnsOf(const std::vector<double>& ys)
{
    std::vector<Column> columns(ys.size());
    seriesOf(ys).decimate(0, static_cast<double>(ys.size()), columns);
    return columns;
}

QStringList labelsOf(const std::vector<Tick>& ticks)
{
    QStringList labels;
    for (const Tick& tick : ticks)
        labels << tick.label;
    return labels;
}

} // namespace

class TstPlots : public QObject {
    Q_OBJECT

private slots:
    void figures_data();
    void figures();
    void rankLists_data();
    void rankLists();
    void xTicksSpeakTheAxis_data();
    void xTicksSpeakTheAxis();
    void yTicksOfALogScaleArePowers();
    void smoothingIsTensorBoards_data();
    void smoothingIsTensorBoards();
    void smoothingGrowsAsIfMadeAtOnce();
    void nothingJoinsAcrossNan_data();
    void nothingJoinsAcrossNan();
    void aGapInTimeIsAGap();
    void oneSpikeIsSeenAtEveryZoom_data();
    void oneSpikeIsSeenAtEveryZoom();
    void bandsAreOverRanks();
    void labelsMoveApart_data();
    void labelsMoveApart();
    void valueAtTakesTheLastFinite_data();
    void valueAtTakesTheLastFinite();
    void followingMovesWithTheData();
    void zoomAndPanStopFollowing();
    void zoomKeepsWhatIsUnderTheCursor();
    void anotherAxisOfTheFamilyKeepsTheView();
    void manyWishesAreOneFrame();
};

void TstPlots::figures_data()
{
    QTest::addColumn<QString>("got");
    QTest::addColumn<QString>("expected");
    QTest::newRow("thousands") << figures::grouped(1234567) << "1,234,567";
    QTest::newRow("minus") << figures::grouped(-4210) << "−4,210";
    QTest::newRow("decimal") << figures::decimal(-1234.5, 1) << "−1,234.5";
    QTest::newRow("no minus zero") << figures::decimal(-0.001, 2) << "0.00";
    QTest::newRow("nan") << figures::decimal(kNan, 2) << "NaN";
    QTest::newRow("inf") << figures::value(-kInf) << "−∞";
    QTest::newRow("loss") << figures::value(2.446) << "2.45";
    QTest::newRow("small") << figures::value(0.00012) << "1.20e−4";
    QTest::newRow("rate") << figures::scaled(11320) << "11.3 k";
    QTest::newRow("rate of 1 k") << figures::scaled(1070) << "1.07 k";
    QTest::newRow("percent") << figures::percent(0.07) << "7 %";
    QTest::newRow("unknown percent") << figures::percent(kNan) << "–";
    QTest::newRow("clock") << figures::clock(761) << "00:12:41";
    QTest::newRow("short clock") << figures::shortClock(612) << "10:12";
    QTest::newRow("an hour") << figures::shortClock(3720) << "1:02:00";
    QTest::newRow("left") << figures::remaining(935) << "15 min 35 s";
    QTest::newRow("long left") << figures::remaining(9300) << "2 h 35 min";
    QTest::newRow("left unknown") << figures::remaining(kNan) << "";
    QTest::newRow("age") << figures::age(0.21) << "0.2 s";
    QTest::newRow("late") << figures::age(87) << "87 s";
    QTest::newRow("memory") << figures::gibibytes(61.25 * 1073741824, 1) << "61.3 GiB";
    QTest::newRow("little memory") << figures::gibibytes(300.0 * 1048576, 1) << "300 MiB";
}

void TstPlots::figures()
{
    QFETCH(QString, got);
    QTEST(got, "expected");
}

void TstPlots::rankLists_data()
{
    QTest::addColumn<QList<int>>("ranks");
    QTest::addColumn<QString>("expected");
    QTest::newRow("none") << QList<int>() << "";
    QTest::newRow("range and single") << QList<int>{7, 0, 1, 2, 3, 4, 6} << "0–4, 6, 7";
    QTest::newRow("one") << QList<int>{5} << "5";
}

void TstPlots::rankLists()
{
    QFETCH(QList<int>, ranks);
    QTEST(figures::rankList(ranks), "expected");
}

void TstPlots::xTicksSpeakTheAxis_data()
{
    QTest::addColumn<int>("axis");
    QTest::addColumn<double>("to");
    QTest::addColumn<QStringList>("expected");
    QTest::newRow("time") << int(XAxis::Time) << 761.0
                          << QStringList{"0:00", "2:00", "4:00", "6:00", "8:00", "10:00", "12:00"};
    QTest::newRow("step") << int(XAxis::Step) << 4210.0 << QStringList{"0", "1,000", "2,000", "3,000", "4,000"};
    QTest::newRow("epoch") << int(XAxis::Epoch) << 1000.0 << QStringList{"0", "2", "4", "6", "8", "10"};
    QTest::newRow("samples") << int(XAxis::Samples) << 100.0 << QStringList{"0", "200", "400", "600", "800", "1,000"};
    QTest::newRow("no half steps") << int(XAxis::Step) << 3.0 << QStringList{"0", "1", "2", "3"};
}

void TstPlots::xTicksSpeakTheAxis()
{
    QFETCH(int, axis);
    QFETCH(double, to);
    const XLabels labels{
        .axis = static_cast<XAxis>(axis), .stepsPerEpoch = 100, .samplesPerStep = 10, .startWallUs = 0};
    QTEST(labelsOf(xTicks({0, to}, labels, 7)), "expected");
}

void TstPlots::yTicksOfALogScaleArePowers()
{
    QCOMPARE(labelsOf(yTicks({0.9, 120, YScale::Log}, 5)), (QStringList{"1", "10", "100"}));
    QCOMPARE(labelsOf(yTicks({2, 7.4, YScale::Linear}, 5)), (QStringList{"2.0", "3.0", "4.0", "5.0", "6.0", "7.0"}));
}

void TstPlots::smoothingIsTensorBoards_data()
{
    QTest::addColumn<double>("weight");
    QTest::addColumn<QList<double>>("ys");
    QTest::addColumn<QList<double>>("expected");
    QTest::newRow("13") << 0.6 << QList<double>{10, 0, 0, 0, kNan, 0}
                        << QList<double>{10, 3.75, 1.836735, 0.992647, kNan, 0.562110};
    QTest::newRow("13b rising") << 0.9 << QList<double>{1, 2, 3, 4, 5}
                                << QList<double>{1, 1.526316, 2.070111, 2.631288, 3.209714};
    QTest::newRow("13b constant") << 0.9 << QList<double>{5, 5, 5, 5} << QList<double>{5, 5, 5, 5};
    QTest::newRow("13b heavy") << 0.99 << QList<double>{2, 1} << QList<double>{2, 1.497487};
}

void TstPlots::smoothingIsTensorBoards()
{
    QFETCH(double, weight);
    QFETCH(QList<double>, ys);
    QFETCH(QList<double>, expected);
    const Series raw = seriesOf({ys.begin(), ys.end()});
    SmoothedSeries smooth;
    smooth.update(raw, weight);
    QCOMPARE(smooth.series().size(), raw.size());
    for (qsizetype i = 0; i < expected.size(); ++i) {
        const double got = smooth.series().ys()[static_cast<std::size_t>(i)];
        QVERIFY2(std::isnan(expected[i]) ? std::isnan(got) : std::abs(got - expected[i]) < 1e-6,
                 qPrintable(QString::number(got)));
    }
}

void TstPlots::smoothingGrowsAsIfMadeAtOnce()
{
    Series raw;
    SmoothedSeries grown, whole;
    for (int i = 0; i < 3000; ++i) {
        raw.append(i, std::sin(i) + (i % 97 == 0 ? kNan : 0));
        if (i % 7 == 0)
            grown.update(raw, 0.9);
    }
    grown.update(raw, 0.9);
    whole.update(raw, 0.9);
    QCOMPARE(grown.series().size(), raw.size());
    const double got = grown.series().ys()[1000];
    QCOMPARE(got, whole.series().ys()[1000]); // bit for bit, whatever was loaded when
    const std::vector<double> core = smoothed(raw.ys(), 0.9);
    QCOMPARE(got, core[1000]);
}

void TstPlots::nothingJoinsAcrossNan_data()
{
    QTest::addColumn<QList<double>>("ys");
    QTest::addColumn<QList<int>>("pieces"); // vertices of each
    QTest::newRow("plain") << QList<double>{1, 2, 3} << QList<int>{3};
    QTest::newRow("case 7") << QList<double>{1, kNan, kNan, kNan, kNan, 1} << QList<int>{1, 1};
    QTest::newRow("infinities") << QList<double>{1, kInf, -kInf, kNan, 2} << QList<int>{1, 1};
    QTest::newRow("nothing") << QList<double>{kNan, kNan} << QList<int>{};
}

void TstPlots::nothingJoinsAcrossNan()
{
    QFETCH(QList<double>, ys);
    const PlotFrame frame{QRectF(0, 0, 100, 100), {0, static_cast<double>(ys.size())}, {0, 3, YScale::Linear}};
    QList<int> pieces;
    for (const QPolygonF& piece : curvePieces(columnsOf({ys.begin(), ys.end()}), frame, CurveShape::Range))
        pieces << static_cast<int>(piece.size());
    QTEST(pieces, "pieces");
}

void TstPlots::aGapInTimeIsAGap()
{
    Series series;
    for (const double x : {0.0, 1.0, 2.0, 10.0, 11.0})
        series.append(x, 50);
    std::vector<Column> columns(12);
    series.decimate(0, 12, columns);
    const PlotFrame frame{QRectF(0, 0, 120, 10), {0, 12}, {0, 100, YScale::Linear}};
    QCOMPARE(curvePieces(columns, frame, CurveShape::Mean, 3.5).size(), std::size_t{2});
    QCOMPARE(curvePieces(columns, frame, CurveShape::Mean).size(), std::size_t{1});
}

void TstPlots::oneSpikeIsSeenAtEveryZoom_data()
{
    QTest::addColumn<double>("from");
    QTest::addColumn<double>("to");
    QTest::newRow("all") << 0.0 << 100002.0;
    QTest::newRow("half") << 50000.0 << 100002.0;
    QTest::newRow("near") << 63000.0 << 64000.0;
    QTest::newRow("at the point") << 63216.0 << 63219.0;
}

void TstPlots::oneSpikeIsSeenAtEveryZoom()
{
    QFETCH(double, from);
    QFETCH(double, to);
    Series series;
    for (int i = 0; i < 100'002; ++i)
        series.append(i, i == 63'217 ? 9 : 0);
    std::vector<Column> columns(600);
    series.decimate(from, to, columns);
    const PlotFrame frame{QRectF(0, 0, 600, 100), {from, to}, {0, 10, YScale::Linear}};
    double highest = 100;
    for (const QPolygonF& piece : curvePieces(columns, frame, CurveShape::Range))
        for (const QPointF& point : piece)
            highest = std::min(highest, point.y());
    QCOMPARE(highest, frame.py(9));
}

void TstPlots::bandsAreOverRanks()
{
    std::vector<std::vector<Column>> ranks;
    for (int rank = 0; rank < 11; ++rank)
        ranks.push_back(columnsOf({static_cast<double>(rank), kNan}));
    const std::vector<BandColumn> bands = bandsOf(ranks);
    QCOMPARE(bands[0], (BandColumn{.min = 0, .low = 1, .mean = 5, .high = 9, .max = 10, .ranks = 11}));
    QCOMPARE(bands[1].ranks, 0u);
    QCOMPARE(bandColumnCount(600, 628), 314);
    QCOMPARE(bandColumnCount(600, 1'000'000), 600);
    QCOMPARE(bandColumnCount(600, 3), 8);
}

void TstPlots::labelsMoveApart_data()
{
    QTest::addColumn<QList<double>>("wanted");
    QTest::addColumn<QList<double>>("expected");
    QTest::newRow("apart already") << QList<double>{10, 40} << QList<double>{10, 40};
    QTest::newRow("same place, order kept") << QList<double>{50, 50, 50} << QList<double>{50, 62, 74};
    QTest::newRow("at the lower edge") << QList<double>{100, 99} << QList<double>{100, 88};
}

void TstPlots::labelsMoveApart()
{
    QFETCH(QList<double>, wanted);
    const std::vector<double> places = spreadLabels(wanted, 12, 0, 100);
    QTEST(QList<double>(places.begin(), places.end()), "expected");
}

void TstPlots::valueAtTakesTheLastFinite_data()
{
    QTest::addColumn<double>("x");
    QTest::addColumn<double>("expected");
    QTest::newRow("before all") << -1.0 << kNan;
    QTest::newRow("at a point") << 1.0 << 20.0;
    QTest::newRow("between") << 1.5 << 20.0;
    QTest::newRow("at a NaN") << 2.0 << 20.0;
    QTest::newRow("newest") << kInf << 40.0;
}

void TstPlots::valueAtTakesTheLastFinite()
{
    QFETCH(double, x);
    QFETCH(double, expected);
    const double got = valueAt(seriesOf({10, 20, kNan, 40}), x);
    QVERIFY2(std::isnan(expected) ? std::isnan(got) : got == expected, qPrintable(QString::number(got)));
}

void TstPlots::followingMovesWithTheData()
{
    PlotView view;
    view.setExtent({0, 100});
    QCOMPARE(view.range(), (XRange{0, 100}));
    view.setExtent({0, 101});
    QCOMPARE(view.range(), (XRange{0, 101}));
    view.setShownPart(60);
    QCOMPARE(view.range(), (XRange{41, 101}));
    view.setExtent({0, 200});
    QCOMPARE(view.range(), (XRange{140, 200}));
}

void TstPlots::zoomAndPanStopFollowing()
{
    PlotView view;
    view.setExtent({0, 100});
    QSignalSpy following(&view, &PlotView::followingChanged);
    view.zoom(50, 0.5);
    QVERIFY(!view.following());
    QCOMPARE(view.range(), (XRange{25, 75}));
    view.pan(10);
    QCOMPARE(view.range(), (XRange{35, 85}));
    view.setExtent({0, 500});
    QCOMPARE(view.range(), (XRange{35, 85})); // stays where the user looks
    view.follow();
    QCOMPARE(view.range(), (XRange{0, 500}));
    QCOMPARE(following.size(), 2);
}

void TstPlots::zoomKeepsWhatIsUnderTheCursor()
{
    PlotView view;
    view.setExtent({0, 100});
    view.zoom(20, 0.5);
    const PlotFrame frame{QRectF(0, 0, 100, 10), view.range(), {}};
    QCOMPARE(frame.px(20), 20.0);
    for (int i = 0; i < 400; ++i)
        view.zoom(20, 0.5); // as far as doubles can carry pixels, not further
    QVERIFY(view.range().size() > 0);
    QVERIFY(view.range().contains(20));
}

void TstPlots::anotherAxisOfTheFamilyKeepsTheView()
{
    PlotView view;
    view.setAxis(XAxis::Step);
    view.setExtent({0, 1000});
    view.show({100, 200});
    view.setCursor(150);
    view.setAxis(XAxis::Epoch);
    QCOMPARE(view.range(), (XRange{100, 200}));
    QCOMPARE(view.cursor(), std::optional<double>(150));
    view.setAxis(XAxis::Time); // steps are no seconds
    QVERIFY(view.following());
    QVERIFY(!view.cursor());
}

void TstPlots::manyWishesAreOneFrame()
{
    FramePacer pacer;
    QSignalSpy frames(&pacer, &FramePacer::frame);
    QElapsedTimer time;
    time.start();
    while (frames.size() < 4) {
        pacer.request();
        QCoreApplication::processEvents(QEventLoop::AllEvents, 1);
        QVERIFY(time.elapsed() < 10'000);
    }
    QVERIFY2(time.elapsed() >= 3 * FramePacer::kFrame.count(), "more than 30 frames a second");
    QTest::qWait(static_cast<int>(3 * FramePacer::kFrame.count()));
    QVERIFY(frames.size() <= 5); // without a wish, no frame
}

QTEST_GUILESS_MAIN(TstPlots)
#include "tst_plots.moc"
