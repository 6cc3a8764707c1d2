// SPDX-License-Identifier: GPL-3.0-or-later
// --strategy fsdp on real ranks over Gloo: the same bits as ddp whatever the units, what a rank holds, what is refused.
// (Python's fully_shard beside it: tests/parity/test_fsdp.py.)
#include "tests/trainer/ranks.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace lockstep::test;

namespace {

const QStringList kVit{"--model", "vit", "--width", "32", "--depth", "3", "--heads", "2", "--batch", "4"};
const QStringList kResnet{"--model", "resnet18", "--width", "8", "--image-size", "16", "--batch", "4"};
const QStringList kFsdp{"--strategy", "fsdp"};

// Three ranks: DDP divides each rank's gradient by 3 before it is summed, FSDP the sum after it, and the sums are in
// another order; AdamW makes of a last bit up to one step of the learning rate where a gradient is next to nothing.
// SGD's steps are proportional. 6.4e-8 was measured for a gpt.
constexpr double kThreeRanksTolerance = 1e-6;

QStringList hard(int which, const QStringList& more = {})
{
    return QStringList{"--model", "library", "--model-file", LOCKSTEP_SHARD_MODEL, "--depth", QString::number(which)} +
           more;
}

double number(Ranks& ranks, int rank, const std::string& key)
{
    return QByteArray::fromStdString(ranks.fact(rank, key)).toDouble();
}

} // namespace

class TestFsdp : public QObject {
    Q_OBJECT

private slots:
    void hasTheBitsOfDdp_data();
    void hasTheBitsOfDdp();
    void onThreeRanksIsCloseToDdp();
    void aRankHoldsItsShare();
    void saysItsUnits_data();
    void saysItsUnits();
    void aBlockOfOneRankIsRefused();
    void isRefused_data();
    void isRefused();
};

void TestFsdp::hasTheBitsOfDdp_data()
{
    QTest::addColumn<int>("world");
    QTest::addColumn<QStringList>("options"); // of both
    QTest::addColumn<QStringList>("own");     // of fsdp
    const QStringList none;
    QTest::newRow("blocks and a root") << 2 << kVit << none;
    QTest::newRow("one unit") << 2 << QStringList{} << none;
    QTest::newRow("batch norm") << 2 << kResnet + QStringList{"--optimizer", "sgd"} << none;
    QTest::newRow("without prefetch") << 2 << kVit << QStringList{"--fsdp-prefetch", "no"};
    QTest::newRow("whole after forward") << 2 << kVit << QStringList{"--fsdp-reshard", "no"};
    QTest::newRow("units by size") << 2 << kVit << QStringList{"--fsdp-units", "size", "--fsdp-unit-mb", "0.1"};
    QTest::newRow("whole gradients between forwards") << 2 << kVit + QStringList{"--accumulate", "3"} << none;
    QTest::newRow("activation checkpointing") << 2 << kVit + QStringList{"--activation-checkpointing", "yes"} << none;
    QTest::newRow("channels last") << 2 << kResnet + QStringList{"--channels-last", "yes"} << none;
    QTest::newRow("autocast") << 2 << kVit + QStringList{"--precision", "bf16"} << none;
    QTest::newRow("loss scaling") << 2 << kVit + QStringList{"--precision", "fp16"} << none;
    QTest::newRow("uneven data") << 2 << kVit + QStringList{"--synthetic-samples", "33", "--uneven", "join"} << none;
    QTest::newRow("a rank alone") << 1 << kVit << none;
    QTest::newRow("a block used twice") << 2 << hard(1) << none;
    QTest::newRow("a block used twice, computed again") << 2 << hard(1, {"--activation-checkpointing", "yes"}) << none;
    QTest::newRow("several outputs") << 2 << hard(2) << none;
    QTest::newRow("several outputs, computed again") << 2 << hard(2, {"--activation-checkpointing", "yes"}) << none;
    QTest::newRow("a parameter without gradient") << 2 << hard(3, {"--find-unused-parameters", "yes"}) << none;
    QTest::newRow("a parameter without gradient on one rank")
        << 2 << hard(4, {"--find-unused-parameters", "yes"}) << none;
    QTest::newRow("two names of one weight, in one unit") << 2 << hard(6) << none;
    QTest::newRow("frozen parameters") << 2 << hard(5) << none;
    QTest::newRow("a block that is never run") << 2 << hard(8, {"--find-unused-parameters", "yes"}) << none;
    QTest::newRow("a block that the model computes again") << 2 << hard(9) << none;
}

void TestFsdp::hasTheBitsOfDdp()
{
    QFETCH(int, world);
    QFETCH(QStringList, options);
    QFETCH(QStringList, own);
    options = quick(QStringList{"--synthetic-samples", "400", "--steps", "6"} + options);
    Ranks replicas(world, options);
    QVERIFY(replicas.finish());
    QVERIFY2(replicas.exitCode(0) == 0, replicas.errors(0).constData());
    Ranks shards(world, options + kFsdp + own);
    QVERIFY(shards.finish());
    for (int rank = 0; rank < world; ++rank) {
        QVERIFY2(shards.exitCode(rank) == 0, shards.errors(rank).constData());
        QCOMPARE(shards.fact(rank, "parameter_hash"), replicas.fact(0, "parameter_hash"));
    }
    QCOMPARE(shards.fact(0, "parameter_hash").size(), std::size_t{16});
}

void TestFsdp::onThreeRanksIsCloseToDdp()
{
    const QTemporaryDir folder;
    const QStringList options = quick(kVit + QStringList{"--steps", "10", "--optimizer", "sgd"});
    Ranks replicas(3, options + QStringList{"--dump-parameters", folder.filePath("ddp")});
    QVERIFY(replicas.finish());
    Ranks shards(3, options + kFsdp + QStringList{"--dump-parameters", folder.filePath("fsdp")});
    QVERIFY(shards.finish());
    for (int rank = 0; rank < 3; ++rank) {
        QVERIFY2(shards.exitCode(rank) == 0, shards.errors(rank).constData());
        QCOMPARE(shards.fact(rank, "parameter_hash"), shards.fact(0, "parameter_hash"));
    }
    const std::vector<float> ofDdp = floats(folder.filePath("ddp.0"));
    const std::vector<float> ofFsdp = floats(folder.filePath("fsdp.0"));
    QVERIFY(!ofDdp.empty());
    QCOMPARE(ofFsdp.size(), ofDdp.size());
    const double distance = relativeDistance(ofFsdp, ofDdp);
    qInfo("relative distance %g", distance);
    QVERIFY(distance < kThreeRanksTolerance);
}

void TestFsdp::aRankHoldsItsShare()
{
    const QStringList options = quick(kVit + QStringList{"--width", "64", "--steps", "20"});
    for (const int world : {2, 3}) {
        Ranks replicas(world, options);
        QVERIFY(replicas.finish());
        Ranks shards(world, options + kFsdp);
        QVERIFY(shards.finish());
        for (int rank = 0; rank < world; ++rank) {
            for (const char* key : {"parameter_bytes", "gradient_bytes", "optimizer_bytes"}) {
                const double share = number(shards, rank, key) / number(replicas, rank, key);
                // Parameters do not end where shards do, and AdamW counts steps for each: a little more or less.
                QVERIFY2(std::abs(share - 1.0 / world) < 0.02,
                         qPrintable(QStringLiteral("%1: %2").arg(key).arg(share)));
            }
        }
    }
}

void TestFsdp::saysItsUnits_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QString>("count");
    QTest::addColumn<QString>("names");
    QTest::newRow("blocks") << kVit << "4"
                            << "root, blocks.0, blocks.1, blocks.2";
    QTest::newRow("by size") << kVit + QStringList{"--fsdp-units", "size", "--fsdp-unit-mb", "0.1"} << "3"
                             << "root, blocks.0 to blocks.1, blocks.2";
    QTest::newRow("all in one") << kVit + QStringList{"--fsdp-units", "size", "--fsdp-unit-mb", "1000"} << "2"
                                << "root, blocks.0 to blocks.2";
    QTest::newRow("no blocks") << QStringList{} << "1"
                               << "root";
}

void TestFsdp::saysItsUnits()
{
    QFETCH(QStringList, options);
    QFETCH(QString, count);
    QFETCH(QString, names);
    Ranks alone(0, quick(options + kFsdp + QStringList{"--steps", "1"}));
    QVERIFY(alone.finish());
    QVERIFY2(alone.exitCode(0) == 0, alone.errors(0).constData());
    QCOMPARE(QString::fromStdString(alone.fact(0, "units")), count);
    QCOMPARE(QString::fromStdString(alone.fact(0, "unit_names")), names);
    QCOMPARE(QString::fromStdString(alone.fact(0, "unit_mib")).split(' ').size(), count.toInt());
}

void TestFsdp::isRefused_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("two names of one weight, in two units")
        << hard(10) << QByteArray("first.in.weight and second.shared are one tensor, in the units first and second");
    QTest::newRow("on GPUs over Gloo") << QStringList{"--device", "cuda", "--backend", "gloo"}
                                       << QByteArray("--strategy fsdp on GPUs needs --backend nccl");
    QTest::newRow("a parameter without gradient")
        << hard(3) << QByteArray("second.side.weight got no gradient in this step");
    QTest::newRow("another order") << hard(7) << QByteArray("needs the same blocks in the same order in every step");
    QTest::newRow("bf16 twice") << kVit + QStringList{"--fsdp-bf16", "yes", "--precision", "bf16"}
                                << QByteArray("--fsdp-bf16 yes computes in bf16 already");
}

void TestFsdp::isRefused()
{
    QFETCH(QStringList, options);
    QFETCH(QByteArray, words);
    Ranks alone(0, quick(options + kFsdp + QStringList{"--steps", "5"}));
    QVERIFY(alone.finish());
    const QByteArray errors = alone.errors(0);
    QVERIFY2(errors.contains(words), errors.constData());
    QVERIFY(alone.exitCode(0) > 0);
}

void TestFsdp::aBlockOfOneRankIsRefused() // and no rank waits for another's gather
{
    Ranks ranks(2, quick(hard(11, {"--find-unused-parameters", "yes"}) + kFsdp + QStringList{"--timeout", "40"}));
    QVERIFY(ranks.finish(30'000));
    for (int rank = 0; rank < 2; ++rank) {
        const QByteArray errors = ranks.errors(rank);
        QVERIFY2(errors.contains("rank 0 came to second and rank 1 to the end of the forward"), errors.constData());
        QCOMPARE(ranks.exitCode(rank), 2);
    }
}

QTEST_GUILESS_MAIN(TestFsdp)
#include "tst_fsdp.moc"
