// SPDX-License-Identifier: GPL-3.0-or-later
// Testing over all ranks, and what the loader's threads may not change. Real ranks over Gloo.
#include "tests/trainer/ranks.h"

#include <QTest>

#include <cmath>

using namespace lockstep::test;

namespace {

constexpr double kTolerance = 1e-6; // losses of batches of other sizes, in floats

// The epochs' records of rank 0.
std::vector<Record> epochs(const Ranks& ranks)
{
    std::vector<Record> found;
    for (const Record& record : ranks.records(0, "metric")) {
        if (record.contains("train_loss"))
            found.push_back(record);
    }
    return found;
}

double number(const Record& record, const std::string& key)
{
    return record.contains(key) ? std::stod(record.at(key)) : std::nan("");
}

} // namespace

class TestEvaluation : public QObject {
    Q_OBJECT

private slots:
    void doesNotDependOnTheRanks_data();
    void doesNotDependOnTheRanks();
    void everySoManyEpochs();
    void workersChangeNothing_data();
    void workersChangeNothing();
};

void TestEvaluation::doesNotDependOnTheRanks_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::newRow("10 test samples for 3 ranks") << QStringList{"--synthetic-samples", "50"};
    QTest::newRow("more batches on some ranks")
        << QStringList{"--synthetic-samples", "20",  "--model", "cnn", // 4 tests
                       "--image-size",        "600", "--batch", "1"};
    QTest::newRow("fewer test samples than ranks") << QStringList{"--synthetic-samples", "10"};
    QTest::newRow("fewer than five classes") << QStringList{"--synthetic-samples", "50", "--classes", "3"};
    QTest::newRow("tokens") << QStringList{
        "--synthetic-samples", "35", "--model",   "gpt", "--width", "16", "--depth", "1", "--heads", "2",
        "--vocabulary",        "20", "--context", "8",   "--batch", "2"};
}

void TestEvaluation::doesNotDependOnTheRanks()
{
    QFETCH(QStringList, options);
    options = quick(QStringList{"--optimizer", "sgd", "--lr", "1e-12", "--steps", "1"} + options);
    Ranks one(1, options);
    QVERIFY(one.finish());
    QVERIFY2(one.exitCode(0) == 0, one.errors(0).constData());
    Ranks three(3, options);
    QVERIFY(three.finish());
    QCOMPARE(epochs(one).size(), std::size_t{1});
    QCOMPARE(epochs(three).size(), std::size_t{1});
    const Record a = epochs(one).front();
    const Record b = epochs(three).front();
    QVERIFY2(std::abs(number(a, "test_loss") - number(b, "test_loss")) < kTolerance, b.at("test_loss").c_str());
    QCOMPARE(number(a, "test_accuracy"), number(b, "test_accuracy"));
    QCOMPARE(number(a, "test_top5"), number(b, "test_top5"));
    QVERIFY(number(a, "test_top5") >= number(a, "test_accuracy"));
    QVERIFY(!options.contains("--classes") || number(a, "test_top5") == 1);
    QCOMPARE(b.contains("test_perplexity"), options.contains("gpt"));
    if (b.contains("test_perplexity"))
        QVERIFY(std::abs(number(b, "test_perplexity") - std::exp(number(b, "test_loss"))) < 1e-4);
}

void TestEvaluation::everySoManyEpochs()
{
    const QStringList options = quick({"--synthetic-samples", "32", "--epochs", "3"});
    Ranks second(0, options + QStringList{"--evaluate-every", "2"});
    QVERIFY(second.finish());
    const std::vector<Record> records = epochs(second);
    QCOMPARE(records.size(), std::size_t{3});
    QVERIFY(!records[0].contains("test_loss"));
    QVERIFY(records[1].contains("test_loss"));
    QVERIFY(records[2].contains("test_loss")); // the end of the run
    Ranks never(0, options + QStringList{"--evaluate-every", "0"});
    QVERIFY(never.finish());
    for (const Record& record : epochs(never))
        QVERIFY(!record.contains("test_loss") && record.contains("train_loss"));
}

void TestEvaluation::workersChangeNothing_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::newRow("augmented images") << QStringList{"--data",    "fashion-mnist", "--augment",
                                                     "crop-flip", "--steps",       "12"};
    QTest::newRow("an epoch's end, accumulated")
        << QStringList{"--data", "synthetic", "--synthetic-samples", "100", "--accumulate", "3", "--epochs", "3"};
}

void TestEvaluation::workersChangeNothing()
{
    QFETCH(QStringList, options);
    options =
        QStringList{"--device", "cpu", "--threads", "1", "--model", "mlp", "--batch", "16", "--evaluate-every", "0"} +
        options;
    Ranks none(0, options + QStringList{"--workers", "0"});
    QVERIFY(none.finish());
    QVERIFY2(none.exitCode(0) == 0, none.errors(0).constData());
    for (const auto& [workers, prefetch] : {std::pair{"1", "1"}, {"3", "2"}}) {
        Ranks some(0, options + QStringList{"--workers", workers, "--prefetch", prefetch});
        QVERIFY(some.finish());
        QCOMPARE(some.fact(0, "parameter_hash"), none.fact(0, "parameter_hash"));
    }
}

QTEST_GUILESS_MAIN(TestEvaluation)
#include "tst_evaluation.moc"
