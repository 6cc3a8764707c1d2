// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/series.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

using namespace lockstep;

class TestSeries : public QObject {
    Q_OBJECT

private slots:
    void smoothing_data();
    void smoothing();
    void smoothingIsOverAllPoints();
    void everyPointDrawn();
    void spikeAtEveryZoom_data();
    void spikeAtEveryZoom();
    void notNumbers();
    void goesBack();
    void pauseStaysEmpty();
    void equalsSlowly_data();
    void equalsSlowly();
    void keptExactly();
};

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Series seriesOf(const std::vector<std::pair<double, double>>& points)
{
    Series series;
    for (const auto& [x, y] : points)
        series.append(x, y);
    return series;
}

std::vector<Column> slowly(const Series& series, double from, double to, std::size_t count)
{
    std::vector<Column> columns(count);
    std::vector<double> sums(count, 0);
    for (std::size_t i = 0; i < series.size(); ++i) {
        const double x = series.xs()[i], y = series.ys()[i];
        if (!(x >= from && x < to))
            continue;
        std::size_t at = 0; // the same edges as the class: from + (to - from) * (k + 1) / count
        while (at + 1 < count && x >= from + (to - from) * static_cast<double>(at + 1) / static_cast<double>(count))
            ++at;
        Column& column = columns[at];
        if (std::isnan(y)) {
            ++column.nan;
        } else if (std::isinf(y)) {
            ++(y > 0 ? column.posInf : column.negInf);
        } else {
            const auto value = static_cast<float>(y);
            column.min = column.count == 0 ? value : std::min(column.min, value);
            column.max = column.count == 0 ? value : std::max(column.max, value);
            column.first = column.count == 0 ? value : column.first;
            column.last = value;
            sums[at] += y;
            ++column.count;
            column.mean = static_cast<float>(sums[at] / column.count);
        }
    }
    return columns;
}

} // namespace

void TestSeries::smoothing_data()
{
    QTest::addColumn<double>("weight");
    QTest::addColumn<QList<double>>("ys");
    QTest::addColumn<QList<double>>("expected");
    QTest::newRow("with NaN") << 0.6 << QList<double>{10, 0, 0, 0, kNaN, 0}
                              << QList<double>{10, 3.75, 1.836735, 0.992647, kNaN, 0.562110};
    QTest::newRow("rising") << 0.9 << QList<double>{1, 2, 3, 4, 5}
                            << QList<double>{1, 1.526316, 2.070111, 2.631288, 3.209714};
    QTest::newRow("constant") << 0.9 << QList<double>{5, 5, 5, 5} << QList<double>{5, 5, 5, 5};
    QTest::newRow("heavy") << 0.99 << QList<double>{2, 1} << QList<double>{2, 1.497487};
    QTest::newRow("none") << 0.0 << QList<double>{2, 1} << QList<double>{2, 1};
    QTest::newRow("infinite") << 0.5 << QList<double>{kInf, 1, 2} << QList<double>{kInf, 1, 1.666667};
    QTest::newRow("empty") << 0.5 << QList<double>{} << QList<double>{};
}

void TestSeries::smoothing()
{
    QFETCH(double, weight);
    QFETCH(QList<double>, ys);
    QFETCH(QList<double>, expected);
    const std::vector<double> out = smoothed(std::vector<double>(ys.begin(), ys.end()), weight);
    QCOMPARE(static_cast<qsizetype>(out.size()), expected.size());
    for (qsizetype i = 0; i < expected.size(); ++i) {
        const double value = out[static_cast<std::size_t>(i)];
        QVERIFY2(std::isnan(expected[i]) ? std::isnan(value)
                                         : value == expected[i] || std::abs(value - expected[i]) < 1e-6,
                 qPrintable(QString("%1: %2").arg(i).arg(value)));
    }
}

void TestSeries::smoothingIsOverAllPoints()
{
    std::mt19937 random(15);
    std::vector<double> ys(200'000);
    for (double& y : ys)
        y = std::uniform_real_distribution(0.0, 1.0)(random);
    QCOMPARE(smoothed(ys, 0.99)[1000], smoothed(std::span(ys).first(2000), 0.99)[1000]); // bit-equal
}

void TestSeries::everyPointDrawn()
{
    Series series;
    for (int i = 0; i < 300; ++i)
        series.append(i * 1000, i % 7);
    std::vector<Column> columns(1200);
    series.decimate(0, 299'001, columns);
    QCOMPARE(std::count_if(columns.begin(), columns.end(), [](const Column& column) { return column.count == 1; }),
             300);
}

void TestSeries::spikeAtEveryZoom_data()
{
    QTest::addColumn<double>("from");
    QTest::addColumn<double>("to");
    for (const double half : {60'000.0, 40'000.0, 5'000.0, 300.0, 10.0, 1.0})
        QTest::addRow("around by %g", half) << 63'217 - half << 63'217 + half;
    QTest::newRow("all") << 0.0 << 100'002.0;
    QTest::newRow("odd edges") << 17.3 << 99'999.9;
}

void TestSeries::spikeAtEveryZoom()
{
    QFETCH(double, from);
    QFETCH(double, to);
    Series series;
    for (int i = 0; i <= 100'001; ++i)
        series.append(i, i == 63'217 ? 9 : 0);
    for (const std::size_t width : {1U, 7U, 800U, 3840U}) {
        std::vector<Column> columns(width);
        series.decimate(from, to, columns);
        QCOMPARE(std::count_if(columns.begin(), columns.end(),
                               [](const Column& column) { return column.count > 0 && column.max == 9.0F; }),
                 1);
    }
}

void TestSeries::notNumbers()
{
    const Series series = seriesOf({{0, 1}, {1, kInf}, {2, -kInf}, {3, kNaN}, {4, 2}});
    double min = 0, max = 0;
    QVERIFY(series.range(0, 4, min, max));
    QCOMPARE(min, 1.0);
    QCOMPARE(max, 2.0);
    QCOMPARE(series.nonFinite(), 3U);
    std::vector<Column> one(1);
    series.decimate(0, 5, one);
    QVERIFY(one[0].count == 2 && one[0].nan == 1 && one[0].posInf == 1 && one[0].negInf == 1);
    QVERIFY(one[0].first == 1.0F && one[0].last == 2.0F);
    // 1,NaN,NaN,NaN,NaN,1: two points, four marks, nothing between
    const Series gap = seriesOf({{0, 1}, {1, kNaN}, {2, kNaN}, {3, kNaN}, {4, kNaN}, {5, 1}});
    std::vector<Column> six(6);
    gap.decimate(0, 6, six);
    QCOMPARE(std::count_if(six.begin(), six.end(),
                           [](const Column& column) { return column.nan == 1 && column.count == 0; }),
             4);
    QVERIFY(!seriesOf({{0, kNaN}}).range(0, 9, min, max));
    QVERIFY(!Series().range(0, 9, min, max));
}

void TestSeries::goesBack()
{
    // Two points kept when a step comes again; ranges and columns see both pieces.
    const Series series = seriesOf({{248, 1}, {249, 1}, {203, 2}, {204, 3}});
    QCOMPARE(series.size(), 4U);
    std::vector<Column> columns(2);
    series.decimate(200, 250, columns);
    QCOMPARE(columns[0].count, 2U);
    QCOMPARE(columns[1].count, 2U);
    double min = 0, max = 0;
    QVERIFY(series.range(203, 203, min, max) && min == 2 && max == 2);
    QCOMPARE(series.lowerBound(249), 1U);
    QCOMPARE(series.lowerBound(203), 0U);
}

void TestSeries::pauseStaysEmpty()
{
    // 10,000 points, a long pause, 10,000 points: none is drawn in the pause or on its wrong side.
    Series series;
    for (int i = 0; i < 20'003; ++i)
        series.append(i < 10'003 ? i : i + 1e6, i < 10'003 ? 1 : 2);
    std::vector<Column> columns(100);
    series.decimate(0, 1'030'000, columns);
    QCOMPARE(columns[0].count, 10'003U);
    QCOMPARE(columns[0].max, 1.0F);
    quint32 after = 0;
    for (std::size_t i = 90; i < columns.size(); ++i)
        after += columns[i].count;
    QCOMPARE(after, 10'000U);
}

void TestSeries::equalsSlowly_data()
{
    QTest::addColumn<int>("points");
    QTest::addColumn<int>("columns");
    QTest::addColumn<QString>("shape");
    for (const char* shape : {"even", "uneven", "jumps", "back", "mixed"}) {
        for (const int points : {1, 7, 8, 9, 1000, 4099}) {
            for (const int columns : {1, 3, 100})
                QTest::addRow("%s, %d points, %d columns", shape, points, columns)
                    << points << columns << QString(shape);
        }
    }
}

void TestSeries::equalsSlowly()
{
    QFETCH(int, points);
    QFETCH(int, columns);
    QFETCH(QString, shape);
    std::mt19937 random(static_cast<unsigned>(points * 131 + columns)); // the row's own seed
    Series series;
    double x = 0;
    for (int i = 0; i < points; ++i) {
        const double step = std::uniform_real_distribution(0.0, 2.0)(random);
        x += shape == "even" ? 1 : shape == "jumps" && i % 50 == 49 ? 5000 : step;
        if ((shape == "back" && i % 500 == 499) || (shape == "mixed" && i % 3 == 2))
            x -= shape == "back" ? 200 : 2.5;
        const int odd = std::uniform_int_distribution(0, 40)(random);
        series.append(x, odd == 0   ? kNaN
                         : odd == 1 ? kInf
                         : odd == 2 ? -kInf
                                    : std::uniform_real_distribution(-5.0, 5.0)(random));
    }
    for (const auto& [from, to] : {std::pair(-1.0, x + 1), std::pair(x * 0.25, x * 0.75), std::pair(0.0, 3.0)}) {
        std::vector<Column> fast(static_cast<std::size_t>(columns));
        series.decimate(from, to, fast);
        const std::vector<Column> slow = slowly(series, from, to, fast.size());
        const bool exact = points < 32 * columns; // else a point near an edge may be half a column off
        Column sumFast, sumSlow;
        for (std::size_t i = 0; i < fast.size(); ++i) {
            const Column &a = fast[i], &b = slow[i];
            for (auto [sum, one] : {std::pair(&sumFast, &a), std::pair(&sumSlow, &b)}) {
                sum->count += one->count;
                sum->nan += one->nan;
                sum->posInf += one->posInf;
                sum->negInf += one->negInf;
                sum->min = std::min(sum->min, one->min);
                sum->max = std::max(sum->max, one->max);
            }
            const bool same = a.min == b.min && a.max == b.max && a.count == b.count && a.nan == b.nan &&
                              a.posInf == b.posInf && a.negInf == b.negInf && std::abs(a.mean - b.mean) < 1e-4F;
            const bool ends = shape == "back" || shape == "mixed" || (a.first == b.first && a.last == b.last);
            QVERIFY2(!exact || (same && ends), qPrintable(QString("column %1 of [%2, %3): %4 points, %5 expected")
                                                              .arg(i)
                                                              .arg(from)
                                                              .arg(to)
                                                              .arg(a.count)
                                                              .arg(b.count)));
            const double most = 2 * 0.5 * points / columns + 2 * 8;
            QVERIFY(shape != "even" || std::abs(static_cast<double>(a.count) - static_cast<double>(b.count)) <= most);
        }
        QVERIFY(sumFast.count == sumSlow.count && sumFast.nan == sumSlow.nan && sumFast.posInf == sumSlow.posInf &&
                sumFast.negInf == sumSlow.negInf && sumFast.min == sumSlow.min && sumFast.max == sumSlow.max);
    }
}

void TestSeries::keptExactly()
{
    const Series series = seriesOf({{0.1, 1e300}, {0.2, -0.0}, {0.3, 5e-324}});
    QCOMPARE(series.ys()[0], 1e300);
    QVERIFY(std::signbit(series.ys()[1]));
    QCOMPARE(series.ys()[2], 5e-324);
    std::vector<Column> one(1);
    series.decimate(0, 1, one);
    QVERIFY(std::isfinite(one[0].max)); // a finite value is never drawn as an infinity
    QVERIFY(std::isnan(Series().lastX()) && std::isnan(Series().lastY()));
}

QTEST_GUILESS_MAIN(TestSeries)
#include "tst_series.moc"
