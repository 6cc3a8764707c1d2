// SPDX-License-Identifier: GPL-3.0-or-later
// Real ranks that write checkpoints and go on from them.
#include "tests/trainer/ranks.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <signal.h>

using namespace lockstep::test;

namespace {

QStringList filesIn(const QString& folder)
{
    return QDir(folder).entryList(QDir::Files, QDir::Name);
}

QStringList small(const QStringList& more) // 8 steps an epoch on 2 ranks
{
    return quick(QStringList{"--synthetic-samples", "250", "--width", "16"} + more);
}

std::vector<std::string> trainLosses(const Ranks& ranks) // of the epochs
{
    std::vector<std::string> losses;
    for (const Record& record : ranks.records(0, "metric")) {
        if (record.contains("train_loss"))
            losses.push_back(record.at("train_loss"));
    }
    return losses;
}

void damage(const QString& path, qsizetype at)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadWrite))
        qFatal("cannot open %s", qPrintable(path));
    file.seek(at < 0 ? file.size() + at : at);
    char byte = 0;
    file.peek(&byte, 1);
    byte = static_cast<char>(byte ^ 0x55);
    file.write(&byte, 1);
}

} // namespace

class TestCheckpoints : public QObject {
    Q_OBJECT

private slots:
    void resumedTrainingIsBitIdentical_data();
    void resumedTrainingIsBitIdentical();
    void anotherStrategyGoesOn_data();
    void anotherStrategyGoesOn();
    void anotherNumberOfRanksGoesOn();
    void anotherBatchTakesTheSameSamples();
    void atAnEpochsEndAnotherOrderMayBegin();
    void aFinishedRunSaysSo();
    void theBestIsWhatWasWritten();
    void aSignalWithoutFolderIsAnswered();
    void anEpochWithTooLittleLeftIsOver();
    void theFolderIsKept();
    void theSameCommandBeginsAndGoesOn();
    void aFirstAttemptMovesNothing();
    void whatCannotBeResumedIsNamed_data();
    void whatCannotBeResumedIsNamed();
    void anOlderGoodOneIsTakenWhenAsked();
    void allRanksEndWithTheReason();
    void whatIsNotFiniteIsNotKept_data();
    void whatIsNotFiniteIsNotKept();
    void aSignalSaves();
    void sigtermSavesBeforeTheEnd();
    void aFullDiskIsToldAndLeavesTheOlderOnes();
    void weightsAreExportedAndBegunWith();
};

void TestCheckpoints::resumedTrainingIsBitIdentical_data()
{
    QTest::addColumn<int>("world");
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QString>("until");
    QTest::newRow("2 ranks, adamw, at an epoch") << 2 << QStringList{} << "8";
    QTest::newRow("2 ranks, accumulation, within an epoch") << 2 << QStringList{"--accumulate", "3"} << "2";
    QTest::newRow("2 ranks, vit, fp16, dropout, nesterov, within an epoch")
        << 2 << QStringList{"--model",   "vit", "--depth",     "1",   "--heads",    "2",   "--precision",        "fp16",
                            "--dropout", "0.2", "--optimizer", "sgd", "--nesterov", "yes", "--loss-scale-every", "3"}
        << "5";
    QTest::newRow("2 ranks, batch norm, warm-up and cosine, clipped")
        << 2 << QStringList{"--model", "resnet18", "--schedule", "cosine", "--warmup-steps", "3", "--clip-norm", "0.1"}
        << "5";
    QTest::newRow("2 ranks, fsdp, within an epoch") << 2 << QStringList{"--strategy", "fsdp"} << "5";
    QTest::newRow("3 ranks, cnn, sgd, small buckets, within an epoch")
        << 3 << QStringList{"--model", "cnn", "--optimizer", "sgd", "--bucket-mb", "0.1"} << "4";
}

void TestCheckpoints::resumedTrainingIsBitIdentical()
{
    QFETCH(int, world);
    QFETCH(QStringList, options);
    QFETCH(QString, until);
    const QTemporaryDir folder;
    options = small(options + QStringList{"--epochs", "2"});

    Ranks whole(world, options);
    QVERIFY(whole.finish());
    // Stopped before its plan's end: fewer --steps would be another plan, with other rates.
    Ranks first(world,
                options + QStringList{"--checkpoint", folder.path(), "--checkpoint-steps", until, "--keep-last", "0"});
    QVERIFY(first.finish());
    QVERIFY2(first.exitCode(0) == 0, first.errors(0));
    const QString saved = folder.filePath(QStringLiteral("step-%1.pt").arg(until.toInt(), 9, 10, QLatin1Char('0')));
    Ranks second(world, options + QStringList{"--resume", saved});
    QVERIFY(second.finish());
    QVERIFY2(second.exitCode(0) == 0, second.errors(0));

    QVERIFY(!whole.fact(0, "parameter_hash").empty());
    QCOMPARE(first.fact(0, "parameter_hash"), whole.fact(0, "parameter_hash")); // writing changes nothing
    QCOMPARE(second.fact(world - 1, "parameter_hash"), whole.fact(0, "parameter_hash"));
    QCOMPARE(second.fact(0, "steps_done"), whole.fact(0, "steps_done"));
    QCOMPARE(second.fact(0, "resumed_step"), until.toStdString());
    const std::vector<std::string> losses = trainLosses(second); // an epoch's rest alone would have another mean
    QVERIFY(!losses.empty());
    std::vector<std::string> expected = trainLosses(whole);
    expected.erase(expected.begin(), expected.end() - std::ssize(losses));
    QCOMPARE(losses, expected);
}

void TestCheckpoints::anotherStrategyGoesOn_data()
{
    QTest::addColumn<QString>("before");
    QTest::addColumn<QString>("after");
    QTest::newRow("fsdp, then ddp") << "fsdp"
                                    << "ddp";
    QTest::newRow("ddp, then fsdp") << "ddp"
                                    << "fsdp";
}

void TestCheckpoints::anotherStrategyGoesOn() // on 2 ranks both have the same bits
{
    QFETCH(QString, before);
    QFETCH(QString, after);
    const QTemporaryDir folder;
    const QStringList options = small({"--epochs", "2"});
    Ranks whole(2, options);
    QVERIFY(whole.finish());
    Ranks first(2, options + QStringList{"--strategy", before, "--steps", "5", "--checkpoint", folder.path()});
    QVERIFY(first.finish());
    Ranks second(2, options + QStringList{"--strategy", after, "--resume", folder.path()});
    QVERIFY(second.finish());
    QVERIFY2(second.exitCode(0) == 0, second.errors(0));
    QCOMPARE(second.fact(0, "parameter_hash"), whole.fact(0, "parameter_hash"));
}

void TestCheckpoints::anotherNumberOfRanksGoesOn()
{
    const QTemporaryDir folder;
    Ranks three(3, small({"--epochs", "1", "--steps", "2", "--checkpoint", folder.path()})); // 96 of 252 samples
    QVERIFY(three.finish());
    Ranks one(0, small({"--epochs", "1", "--resume", folder.path()}));
    QVERIFY(one.finish());
    QVERIFY2(one.exitCode(0) == 0, one.errors(0));
    QCOMPARE(one.fact(0, "steps_done"), std::string("12")); // 2, and 154 left in batches of 16
}

void TestCheckpoints::anotherBatchTakesTheSameSamples()
{
    const QTemporaryDir folder;
    Ranks first(0, small({"--steps", "3", "--checkpoint", folder.path()})); // 48 of 250 samples
    QVERIFY(first.finish());
    Ranks second(0, small({"--batch", "32", "--resume", folder.path()}));
    QVERIFY(second.finish());
    QVERIFY2(second.exitCode(0) == 0, second.errors(0));
    QCOMPARE(second.fact(0, "steps_done"), std::string("10")); // 3, and 202 left in batches of 32
}

void TestCheckpoints::atAnEpochsEndAnotherOrderMayBegin()
{
    const QTemporaryDir folder;
    Ranks first(0, small({"--epochs", "1", "--checkpoint", folder.path()}));
    QVERIFY(first.finish());
    Ranks second(0, small({"--epochs", "2", "--shuffle", "no", "--seed", "3", "--resume", folder.path()}));
    QVERIFY(second.finish());
    QVERIFY2(second.exitCode(0) == 0, second.errors(0));
    QCOMPARE(second.fact(0, "steps_done"), std::string("32"));
}

void TestCheckpoints::aFinishedRunSaysSo()
{
    const QTemporaryDir folder;
    const QStringList options = small({"--epochs", "1", "--checkpoint", folder.path(), "--resume", folder.path()});
    Ranks first(0, options);
    QVERIFY(first.finish());
    QVERIFY(!first.process(0).readAllStandardOutput().contains("nothing is left to train"));
    Ranks second(0, options);
    QVERIFY(second.finish());
    QCOMPARE(second.exitCode(0), 0);
    QVERIFY(second.process(0).readAllStandardOutput().contains("nothing is left to train after step 16"));
}

// best.pt cannot be replaced, and the test loss rises: as long as none was written every one is the best so far.
void TestCheckpoints::theBestIsWhatWasWritten()
{
    const QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkpath("best.pt/in-the-way"));
    Ranks ranks(0, small({"--epochs", "2", "--optimizer", "sgd", "--lr", "0.05", "--momentum", "0.99", "--checkpoint",
                          folder.path()}));
    QVERIFY(ranks.finish());
    std::vector<double> losses;
    for (const Record& record : ranks.records(0, "metric")) {
        if (record.contains("test_loss"))
            losses.push_back(std::stod(record.at("test_loss")));
    }
    QCOMPARE(losses.size(), std::size_t{2});
    QVERIFY2(losses[1] > losses[0], "the test needs a loss that rises");
    const QByteArray errors = ranks.errors(0);
    QVERIFY2(errors.contains("the last checkpoint could not be written: cannot keep the best"), errors);
    QCOMPARE(ranks.exitCode(0), 5);
}

void TestCheckpoints::aSignalWithoutFolderIsAnswered()
{
    Ranks ranks(2, small({"--epochs", "100000", "--evaluate-every", "0"}));
    QTRY_VERIFY_WITH_TIMEOUT(!ranks.records(1, "metric").empty(), Ranks::kDeadlineMs);
    kill(static_cast<pid_t>(ranks.process(1).processId()), SIGUSR1);
    QTRY_VERIFY_WITH_TIMEOUT(!ranks.fact(1, "warning").empty(), Ranks::kDeadlineMs);
    ranks.process(0).terminate();
    QVERIFY(ranks.finish());
    const QByteArray errors = ranks.errors(1);
    QVERIFY2(errors.contains("rank 1: SIGUSR1 asks for a checkpoint, but there is no --checkpoint FOLDER"), errors);
}

void TestCheckpoints::anEpochWithTooLittleLeftIsOver()
{
    const QTemporaryDir folder;
    const QStringList options = small({"--synthetic-samples", "10", "--batch", "1", "--drop-last", "yes"});
    Ranks one(0, options + QStringList{"--steps", "8", "--checkpoint", folder.path()});
    QVERIFY(one.finish());
    Ranks three(3, options + QStringList{"--resume", folder.path()}); // 2 of 10 samples are left
    QVERIFY(three.finish());
    QVERIFY2(three.exitCode(0) == 0, three.errors(0));
    QCOMPARE(three.fact(0, "steps_done"), std::string("8"));
}

void TestCheckpoints::theFolderIsKept()
{
    const QTemporaryDir scratch;
    const QString folder = scratch.filePath("made/of/it");
    Ranks ranks(2, small({"--epochs", "3", "--checkpoint", folder, "--checkpoint-steps", "3", "--keep-last", "2"}));
    QVERIFY(ranks.finish());
    QVERIFY2(ranks.exitCode(0) == 0, ranks.errors(0));
    QCOMPARE(filesIn(folder), (QStringList{"best.pt", "step-000000021.pt", "step-000000024.pt"}));
    const std::vector<Record> infos = ranks.records(0, "info");
    QStringList said;
    for (const Record& record : infos) {
        if (!record.contains("checkpoint"))
            continue;
        said << QString::fromStdString(record.at("checkpoint_step"));
        QVERIFY(QByteArray::fromStdString(record.at("checkpoint_seconds")).toDouble() > 0);
        QVERIFY(QByteArray::fromStdString(record.at("checkpoint_bytes")).toLongLong() > 100'000);
    }
    QCOMPARE(said, (QStringList{"3", "6", "8", "9", "12", "15", "16", "18", "21", "24", "24"}));
    QVERIFY(ranks.fact(1, "checkpoint").empty()); // rank 0 writes, and says so
}

void TestCheckpoints::theSameCommandBeginsAndGoesOn()
{
    const QTemporaryDir scratch;
    const QString folder = scratch.filePath("states");
    const QStringList options = small({"--checkpoint", folder, "--resume", folder});
    Ranks first(2, options + QStringList{"--epochs", "1"});
    QVERIFY(first.finish());
    QVERIFY2(first.exitCode(0) == 0, first.errors(0));
    Ranks second(2, options + QStringList{"--epochs", "2"});
    QVERIFY(second.finish());
    QCOMPARE(second.fact(0, "resumed_step"), std::string("8"));
    QCOMPARE(second.fact(0, "steps_done"), std::string("16"));
    // A run of another beginning would be mixed with it.
    Ranks other(2, small({"--checkpoint", folder}));
    QVERIFY(other.finish());
    QCOMPARE(other.exitCode(0), 5);
    QVERIFY(other.errors(0).contains("has checkpoints of another run, up to step 16"));
}

void TestCheckpoints::aFirstAttemptMovesNothing()
{
    const QTemporaryDir scratch;
    const QString folder = scratch.filePath("states");
    const QStringList options = small({"--model", "resnet18", "--steps", "2"});
    const auto testLoss = [](const Ranks& ranks) {
        std::string loss;
        for (const Record& record : ranks.records(0, "metric")) {
            if (record.contains("test_loss"))
                loss = record.at("test_loss");
        }
        return loss;
    };
    Ranks plain(2, options);
    QVERIFY(plain.finish());
    Ranks first(2, options + QStringList{"--checkpoint", folder, "--resume", folder});
    QVERIFY(first.finish());
    QVERIFY2(first.exitCode(0) == 0, first.errors(0));
    QVERIFY(!testLoss(plain).empty());
    QCOMPARE(testLoss(first), testLoss(plain));             // of the running means
    for (const Record& record : first.records(0, "metric")) // no time from before the first step
        QVERIFY(!record.contains("backward_ms") || std::stod(record.at("backward_ms")) < Ranks::kDeadlineMs);
}

void TestCheckpoints::whatCannotBeResumedIsNamed_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("model") << QStringList{"--model", "cnn"} << QByteArray("lacks conv1.weight");
    QTest::newRow("size") << QStringList{"--width", "32"} << QByteArray("fc1.weight [16, 784] instead of [32, 784]");
    QTest::newRow("optimiser") << QStringList{"--optimizer", "sgd"} << QByteArray("has no 'momentum_buffer'");
    QTest::newRow("seed") << QStringList{"--seed", "7"} << QByteArray("--seed 0 has shuffled; this run's is 7");
    QTest::newRow("order") << QStringList{"--shuffle", "no"} << QByteArray("--shuffle is no, but was yes");
    QTest::newRow("number of samples") << QStringList{"--synthetic-samples", "300"}
                                       << QByteArray("the number of training samples is 300, but was 250");
    QTest::newRow("no such file") << QStringList{"--resume", "/nowhere/x.pt"}
                                  << QByteArray("cannot read /nowhere/x.pt");
}

void TestCheckpoints::whatCannotBeResumedIsNamed()
{
    QFETCH(QStringList, options);
    QFETCH(QByteArray, words);
    static const QTemporaryDir folder;
    if (filesIn(folder.path()).isEmpty()) {
        Ranks first(0, small({"--steps", "3", "--checkpoint", folder.path()}));
        QVERIFY(first.finish());
    }
    Ranks second(0, small(QStringList{"--resume", folder.path()} + options));
    QVERIFY(second.finish());
    const QByteArray errors = second.errors(0);
    QVERIFY2(errors.contains(words), errors);
    QCOMPARE(second.exitCode(0), 5);
}

void TestCheckpoints::anOlderGoodOneIsTakenWhenAsked()
{
    const QTemporaryDir folder;
    Ranks first(0, small({"--steps", "6", "--checkpoint", folder.path(), "--checkpoint-steps", "2"}));
    QVERIFY(first.finish());
    damage(folder.filePath("step-000000006.pt"), 1000); // in a tensor
    damage(folder.filePath("step-000000004.pt"), -6);   // where the directory is
    Ranks refused(0, small({"--steps", "8", "--resume", folder.path()}));
    QVERIFY(refused.finish());
    QCOMPARE(refused.exitCode(0), 5);
    const QByteArray errors = refused.errors(0);
    QVERIFY2(errors.contains("checksum is wrong") && errors.contains("--resume-older yes would try"), errors);
    Ranks older(0, small({"--steps", "8", "--resume", folder.path(), "--resume-older", "yes"}));
    QVERIFY(older.finish());
    QVERIFY2(older.exitCode(0) == 0, older.errors(0));
    QCOMPARE(older.fact(0, "resumed_step"), std::string("2"));
    QVERIFY(older.process(0).readAllStandardOutput().contains("an older one is tried"));
}

void TestCheckpoints::allRanksEndWithTheReason()
{
    Ranks reads(3, small({"--resume", "/nowhere/x.pt"}));
    QVERIFY(reads.finish());
    Ranks writes(3, small({"--checkpoint", "/dev/null/x"}));
    QVERIFY(writes.finish());
    for (int rank = 0; rank < 3; ++rank) {
        QCOMPARE(reads.exitCode(rank), 5);
        QVERIFY(reads.errors(rank).contains("cannot read /nowhere/x.pt: No such file"));
        QCOMPARE(writes.exitCode(rank), 5);
        QVERIFY(writes.errors(rank).contains("cannot make the folder /dev/null/x"));
    }
}

void TestCheckpoints::whatIsNotFiniteIsNotKept_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<int>("code");
    QTest::addColumn<bool>("kept");
    QTest::newRow("stop") << QStringList{} << 8 << false;
    QTest::newRow("stop, shards") << QStringList{"--strategy", "fsdp"} << 8 << false;
    QTest::newRow("skip") << QStringList{"--nan", "skip"} << 8 << false;
    QTest::newRow("go on") << QStringList{"--nan", "go-on"} << 0 << true;
}

// Without an epsilon Adam divides 0 by 0 where a unit's gradient is zero: the first step's loss and gradients are good.
void TestCheckpoints::whatIsNotFiniteIsNotKept()
{
    QFETCH(QStringList, options);
    QFETCH(int, code);
    QFETCH(bool, kept);
    const QTemporaryDir folder;
    Ranks ranks(2, small(options + QStringList{"--batch", "1", "--optimizer", "adam", "--epsilon", "0", "--steps", "1",
                                               "--checkpoint", folder.path()}));
    QVERIFY(ranks.finish());
    const QByteArray errors = ranks.errors(0);
    QVERIFY2(ranks.exitCode(0) == code, errors.constData());
    QCOMPARE(ranks.exitCode(1), code);
    QVERIFY2(kept || errors.contains("the parameters are not finite after step 1"), errors.constData());
    QCOMPARE(filesIn(folder.path()).isEmpty(), !kept);
}

void TestCheckpoints::aSignalSaves()
{
    const QTemporaryDir folder;
    Ranks ranks(2, small({"--epochs", "100000", "--checkpoint", folder.path(), "--checkpoint-epochs", "0",
                          "--evaluate-every", "0"}));
    QTRY_VERIFY_WITH_TIMEOUT(!ranks.records(1, "metric").empty(), Ranks::kDeadlineMs);
    QVERIFY(filesIn(folder.path()).isEmpty());
    kill(static_cast<pid_t>(ranks.process(1).processId()), SIGUSR1); // rank 1 writes nothing itself
    QTRY_VERIFY_WITH_TIMEOUT(!ranks.fact(0, "checkpoint").empty(), Ranks::kDeadlineMs);
    QCOMPARE(filesIn(folder.path()).size(), 1);
}

void TestCheckpoints::sigtermSavesBeforeTheEnd()
{
    const QTemporaryDir folder;
    const QStringList options =
        small({"--epochs", "100000", "--checkpoint", folder.path(), "--checkpoint-epochs", "0"});
    Ranks ranks(2, options);
    QTRY_VERIFY_WITH_TIMEOUT(!ranks.records(1, "metric").empty(), Ranks::kDeadlineMs);
    ranks.process(1).terminate(); // one alone is enough: all stop after the same step
    QVERIFY(ranks.finish());
    QCOMPARE(ranks.exitCode(0), 143);
    QCOMPARE(ranks.exitCode(1), 143);
    const QByteArray errors = ranks.errors(0);
    const QStringList files = filesIn(folder.path());
    QCOMPARE(files.size(), 1);
    const std::string step = ranks.fact(0, "checkpoint_step");
    QVERIFY2(errors.contains("after step " + QByteArray::fromStdString(step)), errors);

    Ranks whole(2, small({"--epochs", "100000", "--steps", QString::number(std::stoll(step) + 3)}));
    QVERIFY(whole.finish());
    Ranks second(
        2, small({"--epochs", "100000", "--resume", folder.path(), "--steps", QString::number(std::stoll(step) + 3)}));
    QVERIFY(second.finish());
    QCOMPARE(second.fact(0, "parameter_hash"), whole.fact(0, "parameter_hash"));
}

// A limit on the size of files stands in for the full disk.
void TestCheckpoints::aFullDiskIsToldAndLeavesTheOlderOnes()
{
    const QTemporaryDir folder;
    Ranks first(0, small({"--steps", "2", "--checkpoint", folder.path()}));
    QVERIFY(first.finish());
    QCOMPARE(first.exitCode(0), 0);
    const QStringList before = filesIn(folder.path());

    QProcess shell; // 512 bytes a block
    shell.start("sh", QStringList{"-c", "ulimit -f 100; exec \"$@\"", "sh", trainerProgram()} +
                          small({"--steps", "6", "--checkpoint-steps", "2", "--checkpoint", folder.path(), "--resume",
                                 folder.path()}));
    QVERIFY(shell.waitForFinished(Ranks::kDeadlineMs));
    const QByteArray errors = shell.readAllStandardError();
    QVERIFY2(errors.contains("no checkpoint at step 4, training goes on: cannot write"), errors);
    QCOMPARE(errors.count("no checkpoint at step"), 1); // step 6 too, but that is no news
    QVERIFY2(errors.contains("the last checkpoint could not be written") && errors.contains("File too large"), errors);
    QCOMPARE(shell.exitCode(), 5);
    QCOMPARE(filesIn(folder.path()), before);
}

void TestCheckpoints::weightsAreExportedAndBegunWith()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath("w.safetensors");
    Ranks first(2, small({"--steps", "4", "--checkpoint", folder.filePath("states"), "--export-weights", file}));
    QVERIFY(first.finish());
    QVERIFY2(first.exitCode(0) == 0, first.errors(0));
    // Both hold the same weights: what is trained from them is the same, and not what the seed's would become.
    const QStringList options = small({"--steps", "2", "--seed", "5"});
    Ranks plain(2, options);
    QVERIFY(plain.finish());
    Ranks exported(2, options + QStringList{"--weights", file});
    QVERIFY(exported.finish());
    Ranks saved(2, options + QStringList{"--weights", folder.filePath("states/step-000000004.pt")});
    QVERIFY(saved.finish());
    QVERIFY2(exported.exitCode(0) == 0, exported.errors(0));
    QCOMPARE(exported.fact(0, "parameter_hash"), saved.fact(1, "parameter_hash"));
    QVERIFY(exported.fact(0, "parameter_hash") != plain.fact(0, "parameter_hash"));
}

QTEST_GUILESS_MAIN(TestCheckpoints)
#include "tst_checkpoints.moc"
