// SPDX-License-Identifier: GPL-3.0-or-later
// Real ranks over Gloo on loopback: what they compute, what they say, how they end.
#include "tests/trainer/ranks.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace lockstep::test;

namespace {

// Two ranks divide a batch's sum differently from one, so the last bits differ; 4.3e-8 was measured here.
constexpr double kRelativeTolerance = 1e-6;

double number(const Record& record, const std::string& key)
{
    const auto found = record.find(key);
    return found == record.end() ? std::nan("") : QByteArray::fromStdString(found->second).toDouble();
}

} // namespace

class TestTraining : public QObject {
    Q_OBJECT

private slots:
    void twoRanksAreOneRankWithTwiceTheBatch_data();
    void twoRanksAreOneRankWithTwiceTheBatch();
    void ranksHoldTheSameBitsAfter50Steps_data();
    void ranksHoldTheSameBitsAfter50Steps();
    void itLearns();
    void oneMetricRecordAStepOrForSeveral();
    void factsAreSaidOnce();
    void exitCodes_data();
    void exitCodes();
    void aNanLossStopsOrGoesOn();
    void aRankNamesItselfInWhatItRefuses();
    void withoutATestSetItSaysSo();
    void missingRanksAreNamed();
    void sigtermEndsAfterTheStep();
};

void TestTraining::twoRanksAreOneRankWithTwiceTheBatch_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::newRow("mlp, sgd") << QStringList{"--model", "mlp", "--optimizer", "sgd", "--nesterov", "yes"};
    QTest::newRow("cnn, sgd") << QStringList{"--model", "cnn", "--optimizer", "sgd", "--weight-decay", "0.01"};
    QTest::newRow("mlp, small buckets") << QStringList{"--model", "mlp", "--optimizer", "sgd", "--bucket-mb", "0.05"};
}

void TestTraining::twoRanksAreOneRankWithTwiceTheBatch()
{
    QFETCH(QStringList, options);
    const QTemporaryDir folder;
    options = quick(options + QStringList{"--steps", "20"});
    Ranks two(2, options + QStringList{"--dump-parameters", folder.filePath("two")});
    QVERIFY(two.finish());
    QCOMPARE(two.exitCode(0), 0);
    Ranks one(0, options + QStringList{"--batch", "32", "--dump-parameters", folder.filePath("one")});
    QVERIFY(one.finish());
    QCOMPARE(one.exitCode(0), 0);

    const std::vector<float> ofTwo = floats(folder.filePath("two.0"));
    const std::vector<float> ofOne = floats(folder.filePath("one.0"));
    QVERIFY(!ofOne.empty());
    QCOMPARE(ofTwo.size(), ofOne.size());
    const double distance = relativeDistance(ofTwo, ofOne);
    qInfo("relative distance %g", distance);
    QVERIFY(distance < kRelativeTolerance);
}

void TestTraining::ranksHoldTheSameBitsAfter50Steps_data()
{
    QTest::addColumn<int>("world");
    QTest::addColumn<QStringList>("options");
    QTest::newRow("2, cnn, adamw") << 2 << QStringList{"--model", "cnn"};
    QTest::newRow("3, mlp, sgd") << 3 << QStringList{"--optimizer", "sgd", "--bucket-mb", "0.1"};
}

void TestTraining::ranksHoldTheSameBitsAfter50Steps()
{
    QFETCH(int, world);
    QFETCH(QStringList, options);
    Ranks ranks(world, quick(options + QStringList{"--epochs", "4", "--steps", "50"}));
    QVERIFY(ranks.finish());
    const std::string first = ranks.fact(0, "parameter_hash");
    QCOMPARE(first.size(), std::size_t{16});
    QCOMPARE(ranks.fact(0, "steps_done"), std::string("50"));
    for (int rank = 0; rank < world; ++rank) {
        QCOMPARE(ranks.exitCode(rank), 0);
        QCOMPARE(ranks.fact(rank, "parameter_hash"), first);
    }
}

void TestTraining::itLearns()
{
    Ranks ranks(2, quick({"--epochs", "3"}));
    QVERIFY(ranks.finish());
    double accuracy = 0;
    double epochLoss = 0;
    double stepLosses = 0;
    double steps = 0;
    for (int rank = 0; rank < 2; ++rank) {
        for (const Record& record : ranks.records(rank, "metric")) {
            if (record.contains("test_accuracy")) {
                accuracy = number(record, "test_accuracy");
                epochLoss = number(record, "train_loss");
            } else if (number(record, "epoch") > 2) {
                stepLosses += number(record, "loss") * number(record, "samples");
                steps += number(record, "samples");
            }
        }
    }
    QVERIFY2(accuracy > 0.9, qPrintable(QString::number(accuracy)));
    // The epoch's mean is over all ranks. A record that covers the epoch's first steps may not reach back into the one
    // before.
    QVERIFY2(std::abs(stepLosses / steps - epochLoss) < 1e-4,
             qPrintable(QString::number(stepLosses / steps - epochLoss)));
}

void TestTraining::oneMetricRecordAStepOrForSeveral()
{
    Ranks ranks(2, quick({"--epochs", "2"}));
    QVERIFY(ranks.finish());
    for (int rank = 0; rank < 2; ++rank) {
        double steps = 0;
        double samples = 0;
        double last = 0;
        for (const Record& record : ranks.records(rank, "metric")) {
            QCOMPARE(record.at("rank"), std::to_string(rank));
            if (record.contains("test_loss"))
                continue;
            for (const char* key : {"step", "epoch", "loss", "lr", "samples_per_s", "samples", "steps", "data_ms",
                                    "forward_ms", "backward_ms", "wait_ms", "optimizer_ms"})
                QVERIFY2(std::isfinite(number(record, key)) && number(record, key) >= 0, key);
            steps += number(record, "steps");
            samples += number(record, "samples");
            QCOMPARE(number(record, "step"), steps);
            QVERIFY(number(record, "step") > last);
            last = number(record, "step");
        }
        QCOMPARE(steps, 64.0); // 2 epochs of 500 samples a rank in batches of 16, the last one of 4
        QCOMPARE(samples, 1000.0);
    }
}

void TestTraining::factsAreSaidOnce()
{
    Ranks ranks(2, quick({"--steps", "3", "--seed", "5"}));
    QVERIFY(ranks.finish());
    for (int rank = 0; rank < 2; ++rank) {
        const std::vector<Record> infos = ranks.records(rank, "info");
        QCOMPARE(infos.size(), std::size_t{4}); // two at the start; buckets and the hash at the end
        const Record& start = infos.front();
        QCOMPARE(start.at("model"), std::string("mlp"));
        QCOMPARE(start.at("parameters"), std::string("235146"));
        QCOMPARE(start.at("world"), std::string("2"));
        QCOMPARE(start.at("total_steps"), std::string("3"));
        QCOMPARE(start.at("steps_per_epoch"), std::string("32"));
        QCOMPARE(start.at("batch"), std::string("16"));
        QCOMPARE(start.at("backend"), std::string("gloo"));
        QCOMPARE(start.at("threads"), std::string("1"));
        QCOMPARE(start.at("data"), std::string("synthetic"));
        QCOMPARE(start.at("seed"), std::string("5"));
        QCOMPARE(start.at("optimizer"), std::string("adamw"));
        QVERIFY(!start.at("libtorch").empty());
    }
}

void TestTraining::exitCodes_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<int>("code");
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("wrong option") << QStringList{"--bach", "3"} << 2 << QByteArray("--batch");
    QTest::newRow("wrong value") << QStringList{"--batch", "many"} << 2 << QByteArray("--batch is 'many'");
    QTest::newRow("no GPU") << QStringList{"--device", "cuda"} << 3 << QByteArray("no GPU can be used here");
    QTest::newRow("nccl without GPU") << QStringList{"--backend", "nccl"} << 3 << QByteArray("--backend nccl");
    QTest::newRow("no data") << QStringList{"--data", "idx", "--data-path", "/nowhere"} << 4
                             << QByteArray("cannot read /nowhere/train-images-idx3-ubyte");
    QTest::newRow("no checkpoint") << QStringList{"--resume", "/nowhere/x.pt"} << 5
                                   << QByteArray("cannot read /nowhere/x.pt");
    QTest::newRow("no folder for the weights") << QStringList{"--epochs", "100000", "--export-weights", "/nowhere/x"}
                                               << 5 << QByteArray("/nowhere/x"); // said before training
    QTest::newRow("no folder for a dump") << QStringList{"--steps", "1", "--dump-parameters", "/nowhere/x"} << 11
                                          << QByteArray("cannot write /nowhere/x.0: No such file or directory");
    QTest::newRow("nothing trained, fp16") << QStringList{"--steps", "2", "--precision", "fp16", "--loss-scale", "1e12"}
                                           << 8 << QByteArray("nothing was trained: each of the 2 steps was left out");
    QTest::newRow("one value a channel")
        << QStringList{"--model", "resnet18",  "--width", "8", "--image-size", "8", "--synthetic-samples",
                       "17",      "--shuffle", "no"}
        << 1 << QByteArray("a batch norm cannot train on a batch of one value a channel, such as [1, 64, 1, 1]");
    QTest::newRow("weights and resume") << QStringList{"--weights", "a", "--resume", "b"} << 2
                                        << QByteArray("--weights and --resume contradict each other");
    QTest::newRow("no checkpoint folder") << QStringList{"--steps", "1", "--checkpoint", "/dev/null/x"} << 5
                                          << QByteArray("cannot make the folder /dev/null/x");
}

void TestTraining::exitCodes()
{
    QFETCH(QStringList, options);
    QFETCH(int, code);
    QFETCH(QByteArray, words);
    Ranks alone(0, quick(options));
    QVERIFY(alone.finish());
    const QByteArray errors = alone.errors(0);
    QVERIFY2(errors.contains(words), errors.constData());
    QCOMPARE(errors.count('\n'), 1); // one clear line
    QCOMPARE(alone.exitCode(0), code);
}

void TestTraining::aNanLossStopsOrGoesOn()
{
    const QStringList options = quick({"--optimizer", "sgd", "--lr", "1e12", "--steps", "20"});
    Ranks stops(0, options);
    QVERIFY(stops.finish());
    QCOMPARE(stops.exitCode(0), 8);
    const QByteArray errors = stops.errors(0);
    QVERIFY2(errors.contains(" is NaN at step ") || errors.contains(" is infinite at step "), errors.constData());
    Ranks goes(0, options + QStringList{"--nan", "go-on"});
    QVERIFY(goes.finish());
    QCOMPARE(goes.exitCode(0), 0);
    QVERIFY(goes.process(0).readAllStandardOutput().contains("train loss NaN  test loss NaN"));
    const std::vector<Record> records = goes.records(0, "metric");
    QVERIFY(std::ranges::any_of(
        records, [](const Record& record) { return record.contains("loss") && record.at("loss") == "nan"; }));
    Ranks skips(0, options + QStringList{"--nan", "skip"}); // the mean is over the steps that were taken
    QVERIFY(skips.finish());
    QCOMPARE(skips.exitCode(0), 0);
    const QByteArray said = skips.process(0).readAllStandardOutput();
    QVERIFY2(said.contains("train loss ") && !said.contains("train loss NaN"), said.constData());
}

void TestTraining::aRankNamesItselfInWhatItRefuses()
{
    Ranks ranks(2, quick({"--batch", "many"}));
    QVERIFY(ranks.finish());
    for (int rank = 0; rank < 2; ++rank) {
        const QByteArray errors = ranks.errors(rank);
        QVERIFY2(errors.contains("rank " + QByteArray::number(rank) + ": --batch is 'many'"), errors.constData());
        QCOMPARE(ranks.exitCode(rank), 2);
    }
}

void TestTraining::withoutATestSetItSaysSo()
{
    const QTemporaryDir folder;
    QFile text(folder.filePath("train.txt"));
    QVERIFY(text.open(QIODevice::WriteOnly));
    QCOMPARE(text.write(QByteArray(1000, 'a')), 1000);
    text.close();
    const QStringList options{"--device",  "cpu",     "--threads",   "1",           "--model", "gpt",    "--width",
                              "16",        "--depth", "1",           "--heads",     "2",       "--data", "text",
                              "--context", "16",      "--data-path", folder.path(), "--steps", "1"};
    Ranks alone(0, options);
    QVERIFY(alone.finish());
    QVERIFY2(alone.exitCode(0) == 0, alone.errors(0).constData());
    QVERIFY(alone.process(0).readAllStandardOutput().contains("there is nothing to test on beside " +
                                                              folder.path().toUtf8()));
    QCOMPARE(alone.fact(0, "test_samples"), std::string("0"));
}

void TestTraining::missingRanksAreNamed()
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("RANK", "0");
    environment.insert("WORLD_SIZE", "3");
    environment.insert("MASTER_ADDR", "127.0.0.1");
    environment.insert("MASTER_PORT", QString::number(freePort()));
    QProcess zero;
    zero.setProcessEnvironment(environment);
    zero.start(trainerProgram(), quick({"--rendezvous-timeout", "1.5"}));
    QVERIFY(zero.waitForFinished(Ranks::kDeadlineMs));
    const QByteArray errors = zero.readAllStandardError();
    QVERIFY2(errors.contains("2 of 3 ranks did not come") && errors.contains("missing 1, 2"), errors.constData());
    QCOMPARE(zero.exitCode(), 6);

    environment.insert("RANK", "1");
    zero.setProcessEnvironment(environment);
    zero.start(trainerProgram(), quick({"--rendezvous-timeout", "0.5"}));
    QVERIFY(zero.waitForFinished(Ranks::kDeadlineMs));
    QVERIFY(zero.readAllStandardError().contains("rank 0 does not answer at 127.0.0.1:"));
    QCOMPARE(zero.exitCode(), 6);
}

void TestTraining::sigtermEndsAfterTheStep()
{
    Ranks ranks(2, quick({"--epochs", "100000"}));
    QTRY_VERIFY_WITH_TIMEOUT(!ranks.records(1, "metric").empty(), Ranks::kDeadlineMs);
    ranks.process(0).terminate();
    ranks.process(1).terminate();
    QVERIFY(ranks.finish(15'000));
    QCOMPARE(ranks.exitCode(0), 143);
    QCOMPARE(ranks.exitCode(1), 143);
}

QTEST_GUILESS_MAIN(TestTraining)
#include "tst_training.moc"
