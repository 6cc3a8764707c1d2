// SPDX-License-Identifier: GPL-3.0-or-later
// From the bytes of spools to what the screens show.
#include "core/rundata.h"
#include "spools.h"

#include <QSignalSpy>
#include <QTest>

#include <cmath>

using namespace lockstep;

class TestRunData : public QObject {
    Q_OBJECT

private slots:
    void everySplitPoint();
    void stepComesAgain();
    void attemptsAreKeptApart();
    void clocksAreCorrected();
    void wallClockJumps();
    void ranksAndMetricsOfTheirOwn();
    void samples();
    void notNumbersStay();
    void logLines_data();
    void logLines();
    void logIsBounded();
    void causeWithItsLastLines();
    void pace();
    void stateOfTheWatcher();
    void causeBesideTheSpools();
    void foreignBytes_data();
    void foreignBytes();
};

namespace {

const QByteArray kSpool = test::hello(1'000'000, test::kStartUs) +
                          "phase 0 1100000 phase=running pid=71\n"
                          "info 0 1200000 model=cnn total_steps=100 steps_per_epoch=50\n"
                          "metric 0 2000000 step=1 loss=2.3 lr=0.1\n"
                          "metric 1 2000000 step=1 loss=2.5\n"
                          "out 0 2100000 text=hello\\sworld\n"
                          "device - 2200000 id=cpu util=97 mem_used=1024\n"
                          "device - 2200000 id=gpu:GPU-1 index=0 name=H100 util=55 throttle=04\n"
                          "proc 1 2300000 pid=72 rss=4096 cpu=99.5\n"
                          "novelty 0 2400000 a=b\n"
                          "metric 0 3000000 step=2 loss=nan lr=0.1\n"
                          "dropped 1 3100000 what=out count=12 bytes=900\n"
                          "phase 0 4000000 phase=exited code=0\n";

void setUp(RunData& data)
{
    data.setPlan({}, test::twoByTwo());
}

void feed(RunData& data, RunDecoder& decoder, const QByteArray& bytes)
{
    data.apply(decoder.feed({bytes.constData(), static_cast<std::size_t>(bytes.size())}));
}

std::unique_ptr<RunDecoder> decoderOf(int node = 0, qint64 offsetUs = 0)
{
    auto decoder = std::make_unique<RunDecoder>(node, offsetUs);
    decoder->setStartWallUs(test::kStartUs);
    return decoder;
}

QString shown(const RunData& data) // all that the screens could show, as text
{
    QString text;
    for (const auto& [key, both] : data.allSeries()) {
        text += QString("%1/%2/%3/%4/%5:")
                    .arg(key.metric)
                    .arg(key.rank)
                    .arg(key.nodeIndex)
                    .arg(key.device)
                    .arg(key.attempt);
        for (std::size_t i = 0; i < both.second.size(); ++i)
            text += QString(" %1=%2").arg(both.second.xs()[i]).arg(both.second.ys()[i]);
        text += QString(" %1\n").arg(both.first.size());
    }
    for (const LogLine& line : data.log())
        text +=
            QString("%1 %2 %3 %4\n").arg(line.wallUs).arg(line.rank).arg(static_cast<int>(line.kind)).arg(line.text);
    return text +
           QString("%1 %2 %3 %4")
               .arg(data.newestRecordWallUs())
               .arg(data.totalSteps())
               .arg(data.dropped())
               .arg(data.state().nodes[0].spoolBytes) +
           words(data.state().ranks[0].phase);
}

} // namespace

void TestRunData::everySplitPoint()
{
    RunData whole;
    setUp(whole);
    feed(whole, *decoderOf(), kSpool);
    QVERIFY(shown(whole).contains("device/util/-1/0/gpu:GPU-1/1: 1.2=55 0\n"));
    for (qsizetype cut = 0; cut <= kSpool.size(); ++cut) {
        RunData data;
        setUp(data);
        const auto decoder = decoderOf();
        feed(data, *decoder, kSpool.left(cut));
        feed(data, *decoder, kSpool.mid(cut));
        QCOMPARE(shown(data), shown(whole));
    }
}

void TestRunData::stepComesAgain()
{
    RunData data;
    setUp(data);
    feed(data, *decoderOf(),
         test::hello(0, test::kStartUs) + "metric 0 1 step=249 loss=1\nmetric 0 2 step=203 loss=2\n");
    const Series* loss = data.series({"loss", 0, 0, {}, 1});
    QVERIFY(loss);
    QCOMPARE(std::vector(loss->xs().begin(), loss->xs().end()), std::vector<double>({249, 203}));
    QCOMPARE(data.step(), 203);
}

void TestRunData::attemptsAreKeptApart()
{
    RunData data;
    setUp(data);
    const auto decoder = decoderOf();
    feed(data, *decoder,
         test::hello(0, test::kStartUs) +
             "metric 0 1 step=140 loss=1\nmetric 0 2 step=150 loss=1\nphase 0 3 phase=exited signal=9\n");
    QVERIFY(data.state().cause);
    feed(data, *decoder,
         test::hello(9, test::kStartUs + 9, 0, 2) + "metric 0 10 step=110 loss=1\nmetric 0 11 step=120 loss=1\n");
    QVERIFY(!data.state().cause);
    QCOMPARE(data.state().attempt, 2);
    QCOMPARE(data.series({"loss", 0, 0, {}, 1})->lastX(), 150.0);
    const Series* second = data.series({"loss", 0, 0, {}, 2});
    QCOMPARE(std::vector(second->xs().begin(), second->xs().end()), std::vector<double>({110, 120}));
    QCOMPARE(data.metrics(), QStringList({"loss"})); // one entry, two attempts
    QCOMPARE(data.step(), 120);
}

void TestRunData::clocksAreCorrected()
{
    RunData data;
    setUp(data);
    feed(data, *decoderOf(0), test::hello(700, test::kStartUs) + "metric 0 1000700 step=1 loss=1\n");
    feed(data, *decoderOf(1, 5'000'000),
         test::hello(9'000'000'000, test::kStartUs, 5'000'000) + "metric 2 9001000000 step=1 loss=1\n");
    QCOMPARE(data.series({"loss", 0, 0, {}, 1}, XAxis::Time)->lastX(), 1.0);
    QCOMPARE(data.series({"loss", 2, 1, {}, 1}, XAxis::Time)->lastX(), 1.0);
}

void TestRunData::wallClockJumps()
{
    RunData data;
    setUp(data);
    feed(data, *decoderOf(),
         test::hello(0, test::kStartUs) + "metric 0 1000000 step=1 loss=1\nclock - 1500000 wall_us=" +
             QByteArray::number(test::kStartUs + 3'600'000'000) + "\nmetric 0 2000000 step=2 loss=1\n");
    QCOMPARE(data.series({"loss", 0, 0, {}, 1}, XAxis::Time)->lastX(), 2.0);
}

void TestRunData::ranksAndMetricsOfTheirOwn()
{
    RunData data;
    setUp(data);
    feed(data, *decoderOf(0),
         test::hello(0, test::kStartUs) + "metric 0 1 step=5 loss=1 tokens_per_s=9\nmetric 1 1 step=5 loss=2\n");
    feed(data, *decoderOf(1),
         test::hello(0, test::kStartUs) + "metric 2 1 step=5 loss=3\nmetric 3 1 step=5 loss=4 accuracy=0.5\n");
    QCOMPARE(data.metrics(), QStringList({"accuracy", "loss", "tokens_per_s"}));
    for (int rank = 0; rank < 4; ++rank)
        QCOMPARE(data.series({"loss", rank, rank / 2, {}, 1})->ys()[0], rank + 1.0);
    QCOMPARE(data.meanLoss(), 2.5);
    QVERIFY(data.series({"tokens_per_s", 0, 0, {}, 1}) && data.series({"accuracy", 3, 1, {}, 1}));
}

void TestRunData::samples()
{
    RunData data;
    setUp(data);
    feed(data, *decoderOf(), kSpool);
    QCOMPARE(data.series({"device/util", -1, 0, "cpu", 1}, XAxis::Time)->lastY(), 97.0);
    QCOMPARE(data.series({"proc/rss", 1, 0, {}, 1}, XAxis::Time)->lastY(), 4096.0);
    QVERIFY(!data.metrics().contains("device/index") && !data.metrics().contains("device/throttle") &&
            !data.metrics().contains("proc/pid"));
}

void TestRunData::notNumbersStay()
{
    RunData data;
    setUp(data);
    feed(data, *decoderOf(),
         test::hello(0, test::kStartUs) + "metric 0 1 step=1 loss=1\nmetric 0 2 step=2 loss=inf\nmetric 0 3 step=3 "
                                          "loss=-inf\nmetric 0 4 step=4 loss=nan\n");
    const Series* loss = data.series({"loss", 0, 0, {}, 1});
    QCOMPARE(loss->size(), 4U);
    QVERIFY(std::isinf(loss->ys()[1]) && loss->ys()[2] < 0 && std::isnan(loss->ys()[3]));
}

void TestRunData::logLines_data()
{
    QTest::addColumn<QByteArray>("record");
    QTest::addColumn<QString>("text");
    QTest::newRow("blanks") << QByteArray("out 0 1 text=a\\s\\sb\\tc") << "a  b\tc";
    QTest::newRow("progress bar") << QByteArray("err 0 1 text=10%\\r20%\\r\\x1b[31m30%\\x1b[0m")
                                  << "\x1b[31m30%\x1b[0m";
    QTest::newRow("progress bar, open") << QByteArray("err 0 1 text=10%\\r20%\\r") << "20%";
    QTest::newRow("no UTF-8") << QByteArray("out 0 1 text=a\\xff") << QString("a") + QChar(QChar::ReplacementCharacter);
    QTest::newRow("killed") << QByteArray("phase 0 1 phase=exited signal=9") << "killed by SIGKILL";
    QTest::newRow("proof") << QByteArray("phase - 1 phase=ended gone=2 left=0") << "ended, 2 gone, 0 left behind";
    QTest::newRow("thinned") << QByteArray("dropped 0 1 what=out count=12 bytes=900")
                             << "12 records of out left out here; the rank's own file on the node has all";
}

void TestRunData::logLines()
{
    QFETCH(QByteArray, record);
    RunData data;
    setUp(data);
    feed(data, *decoderOf(), record + '\n');
    QCOMPARE(data.log().size(), 1U);
    QTEST(data.log()[0].text, "text");
}

void TestRunData::logIsBounded()
{
    RunData data;
    setUp(data);
    RunUpdate update;
    update.lines.resize(kMostLogLines / 2);
    for (int i = 0; i < 5; ++i) {
        for (LogLine& line : update.lines)
            line.wallUs = i;
        data.apply(update);
    }
    QVERIFY(data.log().size() <= kMostLogLines + kMostLogLines / 8);
    QCOMPARE(data.log().size() + data.logDropped(), kMostLogLines / 2 * 5);
    QCOMPARE(data.log().back().wallUs, 4);
}

void TestRunData::causeWithItsLastLines()
{
    RunData data;
    setUp(data);
    QSignalSpy states(&data, &RunData::stateChanged);
    feed(data, *decoderOf(),
         test::hello(0, test::kStartUs) +
             "metric 1 1 step=6204 loss=1\nerr 1 2 text=Traceback\nout 0 2 text=fine\nerr 1 3 text=CUDA\\serror\nphase "
             "1 4 phase=exited code=1\nphase 0 5 phase=exited code=7\n");
    QVERIFY(data.state().cause);
    QCOMPARE(data.state().cause->title, "Rank 1 on gpu1 ended with exit code 1");
    QCOMPARE(data.state().cause->lastLines, QStringList({"Traceback", "CUDA error"}));
    QCOMPARE(data.state().cause->victims, QList<int>({0}));
    QVERIFY(data.state().cause->detail.contains("local rank 1") && data.state().cause->detail.contains("step 6,204"));
    QCOMPARE(states.count(), 1);
}

void TestRunData::pace()
{
    RunData data;
    setUp(data);
    QByteArray spool = test::hello(0, test::kStartUs) + "info 0 1 total_steps=100 steps_per_epoch=20\n";
    QVERIFY(std::isnan(data.etaSeconds()) && std::isnan(data.samplesPerSecond()) && std::isnan(data.waitFraction()) &&
            std::isnan(data.meanLoss()));
    QCOMPARE(data.step(), -1);
    for (int step = 1; step <= 40; ++step) { // two a second
        for (int rank = 0; rank < 2; ++rank)
            spool += QString("metric %1 %2 step=%3 loss=1 samples_per_s=%4 data_ms=10 forward_ms=20 backward_ms=40 "
                             "wait_ms=20 optimizer_ms=10\n")
                         .arg(rank)
                         .arg(step * 500'000)
                         .arg(step - rank)
                         .arg(step <= 10 ? 1 : 100)
                         .toLatin1();
    }
    feed(data, *decoderOf(), spool);
    QCOMPARE(data.totalSteps(), 100);
    QCOMPARE(data.stepsPerEpoch(), 20);
    QCOMPARE(data.step(), 39);
    QCOMPARE(data.samplesPerSecond(), 200.0);
    QCOMPARE(data.waitFraction(), 0.2);
    QCOMPARE(data.etaSeconds(), 30.5);
    QCOMPARE(data.newestRecordWallUs(), test::kStartUs + 20'000'000);
}

void TestRunData::stateOfTheWatcher()
{
    RunData data;
    setUp(data);
    feed(data, *decoderOf(), test::hello(0, test::kStartUs) + "phase 0 1 phase=running pid=71\n");
    RunState watched = stateOf(test::twoByTwo());
    watched.id = "20261129-160401-demo";
    watched.phase = RunPhase::Running;
    watched.nodes[1].link = LinkPhase::Reconnecting;
    const auto before = data.generation();
    data.setState(watched);
    QVERIFY(data.generation() > before);
    QCOMPARE(data.state().ranks[0].phase, RankPhase::Training);    // the stream's word
    QCOMPARE(data.state().nodes[1].link, LinkPhase::Reconnecting); // the watcher's
    QSignalSpy changes(&data, &RunData::changed);
    data.setState(data.state());
    QCOMPARE(changes.count(), 0);
}

void TestRunData::causeBesideTheSpools()
{
    RunData data;
    setUp(data);
    RunState watched = stateOf(test::twoByTwo());
    watched.phase = RunPhase::Running;
    watched.cause = FirstCause{-1, "gpu2", "The supervisor on gpu2 is gone", {}, {}, {}};
    data.setState(watched);
    QCOMPARE(data.state().cause->title, "The supervisor on gpu2 is gone");
    feed(data, *decoderOf(),
         test::hello(0, test::kStartUs) + "phase 0 1 phase=running pid=1\nphase 0 2 phase=exited code=7\n");
    QCOMPARE(data.state().cause->title, "The supervisor on gpu2 is gone");
    watched.phase = RunPhase::Failed;
    data.setState(watched);
    QCOMPARE(data.state().phase, RunPhase::Failed);
    feed(data, *decoderOf(), "phase - 3 phase=ended gone=2 left=0\n");
    QCOMPARE(data.state().phase, RunPhase::Failed);
    // What the spools show too is the spools' to say.
    RunData other;
    setUp(other);
    const QByteArray killed = test::hello(0, test::kStartUs) + "phase 0 2 phase=exited signal=9\n";
    feed(other, *decoderOf(), killed);
    RunState same = stateOf(test::twoByTwo());
    PhaseChange exited;
    exited.rank = 0;
    exited.phase = "exited";
    exited.signal = 9;
    exited.wallUs = 5;
    applyPhase(same, exited);
    other.setState(same);
    QCOMPARE(other.state().cause->rank, 0);
    QCOMPARE(other.state().phase, RunPhase::Stopping);
}

void TestRunData::foreignBytes_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("a rank nobody has") << QByteArray("metric 99 1 step=1 loss=1\nphase 99 1 phase=exited code=1\n");
    QTest::newRow("a huge rank") << QByteArray("metric 2147483647 1 step=1 loss=1\n");
    QTest::newRow("times that wrap") << QByteArray(
        "hello - -9223372036854775808 wall_us=9223372036854775807\nmetric 0 9223372036854775807 step=1 loss=1\n");
    QTest::newRow("a rank's time beyond all")
        << test::hello(1'000'000, test::kStartUs) + "metric 0 9223372036854775807 step=1 loss=1\n";
    QTest::newRow("a step beyond all") << QByteArray(
        "metric 0 1 step=1e300 loss=1\nmetric 0 1 step=nan loss=1\nmetric 0 1 loss=1\n");
    QTest::newRow("no records") << QByteArray("\n\n\0\0\xff\xff garbage\nmetric\nmetric 0\n", 31);
    QTest::newRow("codes beyond an int") << QByteArray("phase 0 1 phase=exited code=99999999999 signal=-5 gone=x\n");
    QTest::newRow("negative attempt") << QByteArray(
        "hello - 1 attempt=-3\nhello - 1 attempt=2147483647\nmetric 0 1 step=1 loss=1\n");
}

void TestRunData::foreignBytes()
{
    QFETCH(QByteArray, bytes);
    RunData data;
    setUp(data);
    feed(data, *decoderOf(), bytes);
    QCOMPARE(data.state().ranks.size(), 4);
}

QTEST_GUILESS_MAIN(TestRunData)
#include "tst_rundata.moc"
