// SPDX-License-Identifier: GPL-3.0-or-later
// Ways to reduce gradients over two real ranks: most of them must not change a single bit.
#include "tests/trainer/ranks.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace lockstep::test;

namespace {

// Sums of micro-batches round otherwise than one over the whole batch; 4.1e-8 was measured here.
constexpr double kAccumulationTolerance = 1e-6;
// Half precision keeps 11 bits, bfloat16 8: a gradient is off by 2^-9 of itself at most, and SGD's step by as much.
constexpr double kCompressionTolerance = 0.01;

QStringList few(const QStringList& more) // what all runs here share
{
    return quick(QStringList{"--optimizer", "sgd", "--evaluate-every", "0", "--workers", "0"} + more);
}

} // namespace

class TestDdp : public QObject {
    Q_OBJECT

private slots:
    void theSameBits_data();
    void theSameBits();
    void compressedGradientsAreNear_data();
    void compressedGradientsAreNear();
    void microBatchesAreTheBigBatch();
    void bucketsAndTimesAreSaid();
    void aLateOverflowIsLeftOutOnAllRanks();
};

void TestDdp::theSameBits_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QStringList>("plain");
    const QStringList accumulate{"--accumulate", "3"};
    QTest::newRow("no bucket views") << QStringList{"--bucket-views", "no"} << QStringList{};
    QTest::newRow("small buckets") << QStringList{"--bucket-mb", "0.2", "--first-bucket-mb", "0.05"} << QStringList{};
    QTest::newRow("static graph") << QStringList{"--static-graph", "yes"} << QStringList{};
    QTest::newRow("unused parameters are looked for")
        << QStringList{"--find-unused-parameters", "yes", "--bucket-mb", "0.2"} << QStringList{};
    QTest::newRow("both, small buckets") << QStringList{"--static-graph", "yes", "--find-unused-parameters", "yes",
                                                        "--bucket-mb",    "0.2", "--bucket-views",           "no"}
                                         << QStringList{};
    QTest::newRow("accumulation without views") << QStringList{"--bucket-views", "no"} + accumulate << accumulate;
    QTest::newRow("measuring every step") << QStringList{"--grad-norm-every", "1"} << QStringList{};
    QTest::newRow("checking for NaN") << QStringList{"--nan", "skip"} << QStringList{};
}

void TestDdp::theSameBits()
{
    QFETCH(QStringList, options);
    QFETCH(QStringList, plain);
    const QStringList steps{"--steps", "12", "--epochs", "2"};
    Ranks expected(2, few(plain + steps));
    QVERIFY(expected.finish());
    Ranks ranks(2, few(options + steps));
    QVERIFY(ranks.finish());
    QVERIFY(!expected.fact(0, "parameter_hash").empty());
    for (int rank = 0; rank < 2; ++rank) {
        QVERIFY2(ranks.exitCode(rank) == 0, ranks.errors(rank).constData());
        QCOMPARE(ranks.fact(rank, "parameter_hash"), expected.fact(0, "parameter_hash"));
    }
}

void TestDdp::compressedGradientsAreNear_data()
{
    QTest::addColumn<QString>("form");
    QTest::newRow("fp16") << "fp16";
    QTest::newRow("bf16") << "bf16";
}

void TestDdp::compressedGradientsAreNear()
{
    QFETCH(QString, form);
    const QTemporaryDir folder;
    const QStringList options = few({"--steps", "10", "--momentum", "0"});
    Ranks whole(2, options + QStringList{"--dump-gradients", folder.filePath("whole")});
    Ranks small(2, options + QStringList{"--dump-gradients", folder.filePath("small"), "--gradient-compression", form});
    QVERIFY(whole.finish() && small.finish());
    QCOMPARE(small.exitCode(0), 0);
    const std::vector<float> expected = floats(folder.filePath("whole.0"));
    const std::vector<float> found = floats(folder.filePath("small.0"));
    QVERIFY(!expected.empty());
    QCOMPARE(found.size(), expected.size());
    const double distance = relativeDistance(found, expected);
    QVERIFY2(distance > 0 && distance < kCompressionTolerance, qPrintable(QString::number(distance)));
    QCOMPARE(small.fact(0, "parameter_hash"), small.fact(1, "parameter_hash"));
    QVERIFY(small.fact(0, "parameter_hash") != whole.fact(0, "parameter_hash"));
}

void TestDdp::microBatchesAreTheBigBatch()
{
    // 500 samples a rank: six windows of 5 × 16, and one of 16 + 4; then the next epoch.
    const QTemporaryDir folder;
    const QStringList options = few({"--epochs", "2", "--steps", "10", "--lr", "0.05"});
    Ranks micro(2, options + QStringList{"--accumulate", "5", "--dump-parameters", folder.filePath("micro")});
    Ranks big(2, options + QStringList{"--batch", "80", "--dump-parameters", folder.filePath("big")});
    QVERIFY(micro.finish() && big.finish());
    QCOMPARE(micro.exitCode(0), 0);
    QCOMPARE(micro.fact(0, "steps_per_epoch"), std::string("7"));
    QCOMPARE(micro.fact(0, "steps_done"), std::string("10"));
    QCOMPARE(micro.fact(0, "parameter_hash"), micro.fact(1, "parameter_hash"));
    const std::vector<float> ofMicro = floats(folder.filePath("micro.0"));
    const std::vector<float> ofBig = floats(folder.filePath("big.0"));
    QVERIFY(!ofBig.empty());
    QCOMPARE(ofMicro.size(), ofBig.size());
    const double distance = relativeDistance(ofMicro, ofBig);
    qInfo("relative distance %g", distance);
    QVERIFY(distance < kAccumulationTolerance);
}

void TestDdp::bucketsAndTimesAreSaid()
{
    Ranks ranks(2, few({"--steps", "22", "--bucket-mb", "0.3", "--first-bucket-mb", "0.1"}));
    QVERIFY(ranks.finish());
    for (int rank = 0; rank < 2; ++rank) {
        std::vector<Record> said = ranks.records(rank, "info");
        std::erase_if(said, [](const Record& record) { return !record.contains("buckets"); });
        QCOMPARE(said.size(), std::size_t{2}); // after 20 steps and at the end
        for (const Record& record : said) {
            // From fc3's bias (the last parameter) on, until 0.1 and then 0.3 MiB are passed.
            QCOMPARE(record.at("buckets"), std::string("2"));
            QCOMPARE(record.at("bucket_order"), std::string("5,4,3,2;1,0"));
            QCOMPARE(record.at("bucket_bytes"), std::string("136744,803840"));
            const auto ms = [&](const char* key) { return QByteArray::fromStdString(record.at(key)).toDouble(); };
            QVERIFY(ms("ddp_forward_ms") > 0 && ms("ddp_backward_ms") > 0 && ms("ddp_communication_ms") > 0);
            QVERIFY(ms("ddp_overlap_ms") >= 0 && ms("ddp_overlap_ms") <= ms("ddp_communication_ms"));
        }
    }
}

void TestDdp::aLateOverflowIsLeftOutOnAllRanks()
{
    // Each good step doubles the scale, so that it overflows again and again.
    Ranks ranks(2,
                few({"--steps", "20", "--precision", "fp16", "--loss-scale-every", "1", "--loss-scale", "16777216"}));
    QVERIFY(ranks.finish());
    QCOMPARE(ranks.exitCode(0), 0);
    QCOMPARE(ranks.fact(0, "parameter_hash"), ranks.fact(1, "parameter_hash"));
    double skipped = 0;
    for (const Record& record : ranks.records(1, "metric")) {
        if (!record.contains("steps"))
            continue;
        const double scale = QByteArray::fromStdString(record.at("loss_scale")).toDouble();
        QCOMPARE(std::exp2(std::round(std::log2(scale))), scale);
        if (const auto found = record.find("skipped"); found != record.end())
            skipped += QByteArray::fromStdString(found->second).toDouble();
    }
    QVERIFY2(skipped >= 5 && skipped < 20, qPrintable(QString::number(skipped)));
}

QTEST_GUILESS_MAIN(TestDdp)
#include "tst_ddp.moc"
