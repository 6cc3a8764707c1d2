// SPDX-License-Identifier: GPL-3.0-or-later
// A rank that is gone ends every other one within 15 s, with the exit code that says so.
#include "tests/trainer/ranks.h"

#include <QElapsedTimer>
#include <QTest>

#include <signal.h>

using namespace lockstep::test;

namespace {

constexpr int kMostMs = 15'000; // from the issue
constexpr int kLostPeer = 7;

} // namespace

class TestLostPeer : public QObject {
    Q_OBJECT

private slots:
    void everyOtherRankEnds_data();
    void everyOtherRankEnds();
    void aSilentPeerIsLostAfterTheTimeout();
    void aPeerThatFailsBeforeTheFirstStepIsNoticed();
    void outOfMemorySaysWhatHelps();
    void aRankThatGetsNoThreadOrMemoryEnds_data();
    void aRankThatGetsNoThreadOrMemoryEnds();
    void aFailureIsARecordToo();
};

void TestLostPeer::everyOtherRankEnds_data()
{
    QTest::addColumn<int>("world");
    QTest::addColumn<int>("victim");
    QTest::newRow("1 of 2") << 2 << 1;
    QTest::newRow("0 of 2") << 2 << 0; // it hosts the store
    QTest::newRow("2 of 4") << 4 << 2;
}

void TestLostPeer::everyOtherRankEnds()
{
    QFETCH(int, world);
    QFETCH(int, victim);
    Ranks ranks(world, quick({"--epochs", "100000"}));
    QTRY_VERIFY_WITH_TIMEOUT(!ranks.records(victim, "metric").empty(), Ranks::kDeadlineMs);
    QElapsedTimer timer;
    timer.start();
    ranks.process(victim).kill();
    QVERIFY(ranks.finish(kMostMs));
    qInfo("all ended after %lld ms", timer.elapsed());
    for (int rank = 0; rank < world; ++rank) {
        if (rank == victim)
            continue;
        const QByteArray errors = ranks.errors(rank);
        QVERIFY2(ranks.exitCode(rank) == kLostPeer, errors.constData());
        QVERIFY2(errors.contains("another rank is gone or does not answer"), errors.constData());
        QCOMPARE(errors.count('\n'), 1);
        QCOMPARE(ranks.fact(rank, "failure_code"), std::to_string(kLostPeer));
    }
}

// No packet tells of a peer that is stopped, as of one whose machine lost its power.
void TestLostPeer::aSilentPeerIsLostAfterTheTimeout()
{
    Ranks ranks(2, quick({"--epochs", "100000", "--timeout", "2"}));
    QTRY_VERIFY_WITH_TIMEOUT(!ranks.records(1, "metric").empty(), Ranks::kDeadlineMs);
    ::kill(static_cast<pid_t>(ranks.process(1).processId()), SIGSTOP);
    QVERIFY(ranks.process(0).waitForFinished(kMostMs));
    QCOMPARE(ranks.exitCode(0), kLostPeer);
}

void TestLostPeer::aPeerThatFailsBeforeTheFirstStepIsNoticed()
{
    // Rank 0 has no data, and the other waits to compare them.
    Ranks ranks(2, quick({"--data", "fashion-mnist"}), [](Start& start) {
        if (start.rank == 0)
            start.options << "--data-path"
                          << "/nowhere";
    });
    QVERIFY(ranks.finish(kMostMs));
    QCOMPARE(ranks.exitCode(0), 4);
    QCOMPARE(ranks.exitCode(1), kLostPeer);
}

void TestLostPeer::outOfMemorySaysWhatHelps()
{
    constexpr std::size_t kMost = std::size_t{8} << 30;
    const QStringList options = quick({"--image-size", "512", "--width", "20000"}); // 21 GB for the first layer
    Ranks alone(0, options, [](Start& start) { start.addressSpace = kMost; });
    QVERIFY(alone.finish());
    const QByteArray errors = alone.errors(0);
    for (const char* words : {"memory ran out: ", " GiB were asked for", "of this process's limit of 8.00 GiB",
                              "--batch", "--activation-checkpointing yes", "--strategy fsdp"})
        QVERIFY2(errors.contains(words), errors.constData());
    QCOMPARE(errors.count('\n'), 1);
    QCOMPARE(alone.exitCode(0), 9);
}

// From just enough for main to begin up to enough for all: a thread or a block is refused at another place each time.
void TestLostPeer::aRankThatGetsNoThreadOrMemoryEnds_data()
{
    constexpr std::size_t kFirstMib = 448; // LibTorch alone maps 420
    constexpr std::size_t kLastMib = 608;
    constexpr std::size_t kStepMib = 8;
    QTest::addColumn<std::size_t>("mib");
    for (std::size_t mib = kFirstMib; mib <= kLastMib; mib += kStepMib)
        QTest::addRow("%zu MiB", mib) << mib;
}

void TestLostPeer::aRankThatGetsNoThreadOrMemoryEnds()
{
    QFETCH(std::size_t, mib);
    Ranks alone(0, quick({"--synthetic-samples", "64", "--epochs", "1", "--threads", "3", "--workers", "2"}),
                [mib](Start& start) { start.addressSpace = mib << 20; });
    QVERIFY(alone.finish(kMostMs));
    const QByteArray errors = alone.errors(0);
    if (alone.exitCode(0) == 0)
        return;
    QVERIFY2(errors.contains("lockstep-trainer: rank 0: the machine's memory ran out: "), errors.constData());
    QCOMPARE(alone.exitCode(0), 9);
}

void TestLostPeer::aFailureIsARecordToo()
{
    Ranks alone(0, quick({"--resume", "/nowhere/state.pt"}));
    QVERIFY(alone.finish());
    QCOMPARE(alone.exitCode(0), 5);
    const Record last = alone.records(0, "info").back();
    QCOMPARE(last.at("failure_code"), std::string("5"));
    QVERIFY2(alone.errors(0).contains(QByteArray::fromStdString(last.at("failure"))), last.at("failure").c_str());
}

QTEST_GUILESS_MAIN(TestLostPeer)
#include "tst_lostpeer.moc"
