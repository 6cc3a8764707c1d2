// SPDX-License-Identifier: GPL-3.0-or-later
// What the clock of a node that is followed is taken to say, by when its answers come.
#include "remote/clockcheck.h"
#include "remote/liveclock.h"

#include <QTest>

#include <limits>

using namespace lockstep;

namespace {

using namespace std::chrono_literals;
using Clock = LiveClock::Clock;

constexpr qint64 kOursUs = 1'796'000'000'000'000; // our wall clock when the steady one says kBegin
constexpr qint64 kAheadUs = 3'000'000;            // of the node's wall clock
constexpr Clock::time_point kBegin{1h};
constexpr auto kEvery = 30s;

// A node whose monotonic clock begins at kBegin. Every answer is made half way.
class Asked {
public:
    Asked() { m_clock.restart(m_now); }

    [[nodiscard]] bool isDue() { return m_clock.isDue(m_now); }
    void pass(std::chrono::microseconds time) { m_now += time; }
    void setOurClock(std::chrono::microseconds by) { m_setUs += by.count(); }
    void ask() { m_number = m_clock.asked(m_now, kOursUs + us() + m_setUs); }
    [[nodiscard]] ClockAnswer answer() const
    {
        return {m_number, us(), kOursUs + us() + kAheadUs, QStringLiteral("b")};
    }
    [[nodiscard]] std::optional<ClockReading> hear(const ClockAnswer& answer)
    {
        return m_clock.answered(answer, m_now);
    }

    std::optional<ClockReading> askAndHear(std::chrono::microseconds trip)
    {
        ask();
        pass(trip / 2);
        const ClockAnswer made = answer();
        pass(trip / 2);
        return hear(made);
    }

private:
    [[nodiscard]] qint64 us() const
    {
        return std::chrono::duration_cast<std::chrono::microseconds>(m_now - kBegin).count();
    }

    LiveClock m_clock{kEvery};
    Clock::time_point m_now = kBegin;
    qint64 m_setUs = 0;
    qint64 m_number = 0; // of the last question
};

} // namespace

class TestLiveClock : public QObject {
    Q_OBJECT

private slots:
    void theLeastRoundTripCounts_data();
    void theLeastRoundTripCounts();
    void ourClockIsSetMeanwhile();
    void anAnswerToAQuestionThatWasGivenUp();
    void anAnswerComesTwice();
    void noTimeOfDay_data();
    void noTimeOfDay();
};

void TestLiveClock::theLeastRoundTripCounts_data()
{
    QTest::addColumn<QList<int>>("tripsUs");
    QTest::addColumn<int>("least");
    QTest::newRow("the first") << QList<int>{200, 900, 900, 900, 900, 900, 900, 900} << 0;
    QTest::newRow("one in the middle") << QList<int>{4000, 900, 800, 250'000, 300, 900, 900, 900} << 4;
    QTest::newRow("the last") << QList<int>{900, 900, 900, 900, 900, 900, 900, 2} << 7;
    QTest::newRow("none at all") << QList<int>{900, 900, 900, 0, 900, 900, 900, 900} << 3;
}

void TestLiveClock::theLeastRoundTripCounts()
{
    QFETCH(QList<int>, tripsUs);
    QFETCH(int, least);
    QCOMPARE(tripsUs.size(), kClockQuestions);
    Asked node;
    qint64 askedUs = 0; // when that one was
    for (int i = 0; i < kClockQuestions; ++i) {
        QVERIFY(node.isDue());
        const auto reading = node.askAndHear(std::chrono::microseconds(tripsUs[i]));
        QCOMPARE(reading.has_value(), i == kClockQuestions - 1);
        if (i < least)
            askedUs += tripsUs[i];
        if (!reading)
            continue;
        const qint64 halfUs = tripsUs[least] / 2;
        const qint64 atUs = askedUs + halfUs;
        QCOMPARE(*reading,
                 (ClockReading{atUs, kOursUs + atUs + kAheadUs, kOursUs + atUs, halfUs, QStringLiteral("b")}));
        QCOMPARE(reading->offsetUs(), kAheadUs);
    }
    QVERIFY(!node.isDue());
    node.pass(kEvery - 1us);
    QVERIFY(!node.isDue());
    node.pass(1us);
    QVERIFY(node.isDue());
}

void TestLiveClock::ourClockIsSetMeanwhile()
{
    Asked node;
    std::optional<ClockReading> reading;
    for (int i = 0; i < kClockQuestions; ++i) {
        node.ask();
        node.pass(500us);
        const ClockAnswer made = node.answer();
        node.setOurClock(-999us); // a round trip of 1 us, by our clock
        node.pass(500us);
        reading = node.hear(made);
    }
    QVERIFY(reading);
    QCOMPARE(reading->errorUs, 500);
}

// Our disk blocks for a minute, and the answer waits in the channel all the while.
void TestLiveClock::anAnswerToAQuestionThatWasGivenUp()
{
    Asked node;
    node.ask();
    node.pass(500us);
    const ClockAnswer late = node.answer();
    node.pass(60s);
    QVERIFY(!node.isDue()); // a new round, from now on
    QVERIFY(!node.hear(late));
    node.pass(5s); // soon, not when the next round would have been
    QVERIFY(node.isDue());
    node.ask();
    node.pass(2us);
    QVERIFY(!node.hear(late));
    QVERIFY(!node.isDue()); // its own answer is still awaited
    node.pass(398us);
    QVERIFY(!node.hear(node.answer()));
    std::optional<ClockReading> reading;
    for (int i = 1; i < kClockQuestions; ++i) {
        QVERIFY(!reading);
        reading = node.askAndHear(600us);
    }
    QVERIFY(reading);
    QCOMPARE(reading->errorUs, 200);
}

void TestLiveClock::anAnswerComesTwice()
{
    Asked node;
    node.ask();
    const ClockAnswer answer = node.answer();
    for (int i = 0; i < 2 * kClockQuestions; ++i)
        QVERIFY(!node.hear(answer));
    QVERIFY(node.isDue());
}

void TestLiveClock::noTimeOfDay_data()
{
    QTest::addColumn<qint64>("wallUs");
    QTest::newRow("the least") << std::numeric_limits<qint64>::min();
    QTest::newRow("before 1970") << qint64{-1};
    QTest::newRow("the year 2300") << qint64{10'413'792'000'000'000};
    QTest::newRow("the greatest") << std::numeric_limits<qint64>::max();
}

void TestLiveClock::noTimeOfDay()
{
    QFETCH(qint64, wallUs);
    for (const bool always : {false, true}) {
        Asked node;
        std::optional<ClockReading> reading;
        for (int i = 0; i < kClockQuestions; ++i) {
            QVERIFY(node.isDue());
            node.ask();
            node.pass(i == 0 ? 2us : 200us);
            ClockAnswer answer = node.answer();
            if (always || i == 0)
                answer.wallUs = wallUs;
            reading = node.hear(answer);
        }
        QCOMPARE(reading.has_value(), !always);
        if (reading)
            QCOMPARE(reading->errorUs, 100);
        QVERIFY(!node.isDue()); // a node that always says so is asked no more often
    }
}

QTEST_APPLESS_MAIN(TestLiveClock)
#include "tst_liveclock.moc"
