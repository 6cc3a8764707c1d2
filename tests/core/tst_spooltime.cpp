// SPDX-License-Identifier: GPL-3.0-or-later
// A node's times made ours: by what was measured along its spool, however the bytes come, and through a reboot.
#include "core/rundecoder.h"

#include <QTest>

#include <algorithm>
#include <utility>

using namespace lockstep;

namespace {

constexpr qint64 kStartUs = 1'796'000'000'000'000; // ours when the node's monotonic clock says 0

QByteArray hello(qint64 monoUs, const QByteArray& boot, qint64 aheadUs, int attempt = 1)
{
    return "hello - " + QByteArray::number(monoUs) + " boot_id=" + boot + " attempt=" + QByteArray::number(attempt) +
           " wall_us=" + QByteArray::number(kStartUs + monoUs + aheadUs) + "\n";
}

QByteArray line(qint64 monoUs, const QByteArray& text)
{
    return "out 0 " + QByteArray::number(monoUs) + " text=" + text + "\n";
}

// Its times, in microseconds after kStartUs, as they come out of pieces of so many bytes.
QList<qint64> timesOf(const QByteArray& spool, const QList<SpoolClock>& clocks, qsizetype piece, qint64 offsetUs = 0,
                      qsizetype from = 0)
{
    RunDecoder decoder(0, offsetUs);
    decoder.begin(from, clocks);
    QList<qint64> times;
    for (qsizetype at = from; at < spool.size(); at += piece) {
        const QByteArray bytes = spool.mid(at, piece);
        for (const LogLine& read : decoder.feed({bytes.constData(), static_cast<std::size_t>(bytes.size())}).lines)
            times << read.wallUs - kStartUs;
    }
    return times;
}

SpoolClock clockAt(qint64 fromByte, qint64 monoUs, qint64 oursUs, qint64 errorUs = 100, const char* boot = "a")
{
    return {fromByte, monoUs, kStartUs + oursUs, errorUs, QString::fromLatin1(boot)};
}

} // namespace

class TestSpoolTime : public QObject {
    Q_OBJECT

private slots:
    void everySplitPoint();
    void liveAsInAReplay();
    void aReboot_data();
    void aReboot();
    void news_data();
    void news();
    void newsOfAnotherBoot();
    void text();
};

void TestSpoolTime::everySplitPoint()
{
    const QByteArray before = hello(1000, "a", 500) + line(2000, "one") + line(3000, "two");
    const QByteArray spool = before + line(4000, "three") + line(5000, "four");
    // The node's clock stood still for 7 ms; from the third line on that is known.
    const QList<SpoolClock> clocks{clockAt(before.size(), 3500, 10'500)};
    const QList<qint64> right{2000, 3000, 11'000, 12'000};
    for (qsizetype piece = 1; piece <= spool.size(); ++piece)
        QCOMPARE(timesOf(spool, clocks, piece, 500), right);
}

void TestSpoolTime::liveAsInAReplay()
{
    const QByteArray first = hello(1000, "a", 0) + line(2000, "one") + "out 0 30"; // a piece ends within a record
    const QByteArray second = "00 text=two\n" + line(4000, "three");
    RunDecoder live(0, 0);
    live.begin(0, {});
    QList<qint64> times;
    const auto feed = [&](const QByteArray& bytes) {
        for (const LogLine& read : live.feed({bytes.constData(), static_cast<std::size_t>(bytes.size())}).lines)
            times << read.wallUs - kStartUs;
    };
    feed(first);
    const SpoolClock clock = clockAt(first.size(), 2500, 3500);
    live.measured(clock);
    feed(second);
    QCOMPARE(times, (QList<qint64>{2000, 4000, 5000}));
    for (qsizetype piece = 1; piece <= first.size(); ++piece)
        QCOMPARE(timesOf(first + second, {clock}, piece), times);
}

// What was measured on one boot says nothing of the clock of another.
void TestSpoolTime::aReboot_data()
{
    QTest::addColumn<QByteArray>("spool");
    QTest::addColumn<qsizetype>("from");
    QTest::addColumn<QList<SpoolClock>>("clocks");
    QTest::addColumn<QList<qint64>>("times");
    const QByteArray one = hello(9'000'000, "a", 20'000) + line(9'100'000, "one");
    const QByteArray two = hello(9'150'000, "a", 20'000, 2) + line(9'200'000, "two");
    const QByteArray three = hello(1000, "b", 20'000, 3) + line(2000, "three");
    const QByteArray four = line(3000, "four");
    const QByteArray all = one + two + three + four;
    const qsizetype reboot = one.size() + two.size(), afterThree = reboot + three.size();
    const SpoolClock old = clockAt(0, 9'000'000, 9'000'050);
    const auto fresh = [](qsizetype from) { return clockAt(from, 2000, 70'000, 100, "b"); };
    QTest::newRow("measured on the old boot only")
        << all << qsizetype{0} << QList{old} << QList<qint64>{9'100'050, 9'200'050, 2000, 3000};
    QTest::newRow("measured on the new boot, later")
        << all << qsizetype{0} << QList{old, fresh(afterThree)} << QList<qint64>{9'100'050, 9'200'050, 2000, 71'000};
    QTest::newRow("measured on the new boot, old bytes follow")
        << all << qsizetype{0} << QList{old, fresh(one.size())} << QList<qint64>{9'100'050, 9'200'050, 70'000, 71'000};
    QTest::newRow("measured on the new boot alone, old bytes follow")
        << all << qsizetype{0} << QList{fresh(one.size())} << QList<qint64>{9'100'000, 9'200'000, 70'000, 71'000};
    QTest::newRow("measured on the old boot, read on from the new one")
        << all << reboot << QList{old} << QList<qint64>{2000, 3000};
    QTest::newRow("measured on both, read on from the new one")
        << all << reboot << QList{old, fresh(one.size())} << QList<qint64>{70'000, 71'000};
    QTest::newRow("measured when no boot was told")
        << all << qsizetype{0} << QList{clockAt(0, 9'000'000, 9'000'050, 100, "")}
        << QList<qint64>{9'100'000, 9'200'000, 2000, 3000};
    QTest::newRow("a node that tells no boot")
        << QByteArray(hello(1000, "", 20'000) + line(2000, "one")) << qsizetype{0}
        << QList{clockAt(0, 2000, 70'000, 100, "")} << QList<qint64>{70'000};
}

void TestSpoolTime::aReboot()
{
    QFETCH(QByteArray, spool);
    QFETCH(qsizetype, from);
    QFETCH(QList<SpoolClock>, clocks);
    QFETCH(QList<qint64>, times);
    for (qsizetype piece = 1; piece <= spool.size(); ++piece)
        QCOMPARE(timesOf(spool, clocks, piece, 20'000, from), times);

    RunDecoder live(0, 20'000);
    live.begin(from, {});
    QList<qint64> heard;
    qsizetype at = from;
    const auto feedTo = [&](qsizetype to) {
        const QByteArray bytes = spool.mid(at, to - at);
        for (const LogLine& read : live.feed({bytes.constData(), static_cast<std::size_t>(bytes.size())}).lines)
            heard << read.wallUs - kStartUs;
        at = to;
    };
    for (const SpoolClock& clock : std::as_const(clocks)) {
        feedTo(std::max(from, static_cast<qsizetype>(clock.fromByte)));
        live.measured(clock);
    }
    feedTo(spool.size());
    QCOMPARE(heard, times);
}

void TestSpoolTime::news_data()
{
    QTest::addColumn<bool>("hasBefore");
    QTest::addColumn<qint64>("apartUs");
    QTest::addColumn<qint64>("errorUs");
    QTest::addColumn<bool>("news");
    QTest::newRow("first") << false << qint64{0} << qint64{100} << true;
    QTest::newRow("first, of a bad line") << false << qint64{0} << qint64{400'000} << false;
    QTest::newRow("the same") << true << qint64{0} << qint64{100} << false;
    QTest::newRow("within a millisecond") << true << qint64{-900} << qint64{100} << false;
    QTest::newRow("drifted") << true << qint64{1500} << qint64{100} << true;
    QTest::newRow("drifted back") << true << qint64{-1500} << qint64{100} << true;
    QTest::newRow("within its error") << true << qint64{50'000} << qint64{60'000} << false;
    QTest::newRow("within both errors, the larger one's") << true << qint64{-60'050} << qint64{60'000} << false;
    QTest::newRow("beyond both errors") << true << qint64{60'150} << qint64{60'000} << true;
    QTest::newRow("a better one, within the error of the one before") << true << qint64{1050} << qint64{0} << true;
    QTest::newRow("jumped, on a bad line") << true << qint64{3'600'000'000} << qint64{400'000} << true;
}

void TestSpoolTime::news()
{
    QFETCH(bool, hasBefore);
    QFETCH(qint64, apartUs);
    QFETCH(qint64, errorUs);
    const SpoolClock before = clockAt(0, 1'000'000, 2'000'000);
    const SpoolClock now = clockAt(100, 31'000'000, 32'000'000 + apartUs, errorUs);
    QTEST(now.isNewsAfter(hasBefore ? &before : nullptr), "news");
}

void TestSpoolTime::newsOfAnotherBoot()
{
    const SpoolClock before = clockAt(0, 1'000'000, 2'000'000);
    QVERIFY(clockAt(100, 1'000'000, 2'000'000, 100, "b").isNewsAfter(&before));  // the same numbers, by chance
    QVERIFY(!clockAt(100, 5000, 90'000'000, 400'000, "b").isNewsAfter(&before)); // the first one of it, of a bad line
}

void TestSpoolTime::text()
{
    const SpoolClock one = clockAt(40, 1000, 2000), two = clockAt(90, 3000, -5000, 0, "b 2");
    const std::string lines = lineOf(two) + lineOf(one);
    QCOMPARE(spoolClocks(lines), (QList<SpoolClock>{one, two})); // two desktops may have written them
    QCOMPARE(spoolClocks("measured - 5 from=1 wall_us=2 error_us=3\n"), (QList<SpoolClock>{{1, 5, 2, 3, {}}}));
    QCOMPARE(
        spoolClocks("nonsense\nmeasured - 5 from=-1 wall_us=1 error_us=1\nmeasured - 5 wall_us=1\nother - 1 a=b\n" +
                    lineOf(one) + "measured - 7 from=9 wall_us=1"),
        QList<SpoolClock>{one}); // the last one was cut off
}

QTEST_APPLESS_MAIN(TestSpoolTime)
#include "tst_spooltime.moc"
