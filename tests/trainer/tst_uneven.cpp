// SPDX-License-Identifier: GPL-3.0-or-later
// --uneven join: samples that do not fill all ranks. Real ranks over Gloo, beside one rank that takes all samples of
// each step.
#include "tests/trainer/ranks.h"

#include <QTemporaryDir>
#include <QTest>

using namespace lockstep::test;

namespace {

constexpr double kRelativeTolerance = 1e-6; // as in tst_training: sums in another order

} // namespace

class TestUneven : public QObject {
    Q_OBJECT

private slots:
    void equalsOneRankWithAllSamples_data();
    void equalsOneRankWithAllSamples();
    void everySampleOnceInTheRecords();
    void syncBatchNormIsRefused();
};

void TestUneven::equalsOneRankWithAllSamples_data()
{
    QTest::addColumn<QString>("samples");
    QTest::addColumn<QStringList>("more");
    QTest::newRow("the last step has 2, 1 and 1") << "10" << QStringList{};
    QTest::newRow("the last step has 1, 0 and 0") << "7" << QStringList{};
    QTest::newRow("the last step has 2, 2 and 1") << "11" << QStringList{};
    QTest::newRow("it fills") << "12" << QStringList{};
    QTest::newRow("fewer than ranks") << "2" << QStringList{};
    QTest::newRow("the second of two forwards has 1, 0 and 0") << "7" << QStringList{"--accumulate", "2"};
    QTest::newRow("unequal forwards in one step") << "10" << QStringList{"--accumulate", "2"};
    QTest::newRow("find unused") << "7" << QStringList{"--find-unused-parameters", "yes"};
    QTest::newRow("cnn") << "7" << QStringList{"--model", "cnn"};
}

void TestUneven::equalsOneRankWithAllSamples()
{
    QFETCH(QString, samples);
    QFETCH(QStringList, more);
    const QTemporaryDir folder;
    const QStringList options = quick(QStringList{"--uneven", "join", "--synthetic-samples", samples, "--epochs", "3",
                                                  "--optimizer", "sgd", "--lr", "0.1"} +
                                      more);
    Ranks three(3, options + QStringList{"--batch", "2", "--dump-parameters", folder.filePath("three")});
    QVERIFY(three.finish());
    Ranks one(0, options + QStringList{"--batch", "6", "--dump-parameters", folder.filePath("one")});
    QVERIFY(one.finish());
    QCOMPARE(one.exitCode(0), 0);
    for (int rank = 0; rank < 3; ++rank) {
        QVERIFY2(three.exitCode(rank) == 0, three.errors(rank).constData());
        QCOMPARE(three.fact(rank, "parameter_hash"), three.fact(0, "parameter_hash"));
    }
    QCOMPARE(three.fact(0, "steps_done"), one.fact(0, "steps_done"));
    const std::vector<float> ofThree = floats(folder.filePath("three.0"));
    const std::vector<float> ofOne = floats(folder.filePath("one.0"));
    QVERIFY(!ofOne.empty() && ofOne.size() == ofThree.size());
    const double distance = relativeDistance(ofThree, ofOne);
    QVERIFY2(distance < kRelativeTolerance, qPrintable(QString::number(distance)));
}

void TestUneven::everySampleOnceInTheRecords()
{
    Ranks ranks(3, quick({"--uneven", "join", "--synthetic-samples", "7", "--epochs", "2", "--batch", "2"}));
    QVERIFY(ranks.finish());
    double samples = 0;
    for (int rank = 0; rank < 3; ++rank) {
        for (const Record& record : ranks.records(rank, "metric")) {
            QVERIFY(!record.contains("loss") || record.at("loss") != "nan");
            if (record.contains("samples"))
                samples += std::stod(record.at("samples"));
        }
    }
    QCOMPARE(samples, 14.0);
}

void TestUneven::syncBatchNormIsRefused()
{
    Ranks alone(0, quick({"--uneven", "join", "--sync-batch-norm", "yes"}));
    QVERIFY(alone.finish());
    QCOMPARE(alone.exitCode(0), 2);
    QVERIFY(alone.errors(0).contains("--uneven join"));
}

QTEST_GUILESS_MAIN(TestUneven)
#include "tst_uneven.moc"
