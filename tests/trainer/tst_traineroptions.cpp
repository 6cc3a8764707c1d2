// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/failure.h"
#include "trainer/lostpeer.h"
#include "trainer/options.h"
#include "trainer/optiontable.h"
#include "trainer/placement.h"

#include <QTest>

using namespace lockstep::trainer;

namespace {

using Arguments = QList<QByteArray>;

Options parsed(const Arguments& arguments)
{
    std::vector<const char*> pointers;
    for (const QByteArray& argument : arguments)
        pointers.push_back(argument.constData());
    return parseOptions(pointers).value();
}

} // namespace

class TestTrainerOptions : public QObject {
    Q_OBJECT

private slots:
    void readsEveryForm();
    void wrongOnesSayWhichIsMeant_data();
    void wrongOnesSayWhichIsMeant();
    void helpListsEveryOptionWithItsDefault();
    void helpListsEveryExitCode();
    void learningRateFollowsTheOptimiser();
    void placement_data();
    void placement();
    void lostPeers_data();
    void lostPeers();
};

void TestTrainerOptions::readsEveryForm()
{
    const Options options = parsed({"--batch", "7", "--lr=0.5", "--weight_decay", "0.25", "--optimizer", "sgd",
                                    "--nesterov=yes", "--checkpoint", "a b=c.pt", "--data", "idx"});
    QCOMPARE(options.batch, 7);
    QCOMPARE(options.lr, 0.5);
    QCOMPARE(options.weightDecay, 0.25); // as a spec's key is spelt
    QVERIFY(options.optimizer == OptimizerKind::Sgd);
    QVERIFY(options.nesterov == Switch::Yes);
    QCOMPARE(options.checkpoint, std::string("a b=c.pt"));
    QVERIFY(options.data == DataKind::Idx);
    QVERIFY(parsed({}).model == ModelKind::Cnn);
}

void TestTrainerOptions::wrongOnesSayWhichIsMeant_data()
{
    QTest::addColumn<Arguments>("arguments");
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("slip") << Arguments{"--epoch", "3"} << QByteArray("'--epoch' is no option; --epochs is");
    QTest::newRow("slip with value") << Arguments{"--modle=cnn"} << QByteArray("--model is");
    QTest::newRow("unknown") << Arguments{"--frobnicate", "3"} << QByteArray("'--frobnicate' is no option; --help");
    QTest::newRow("no dashes") << Arguments{"batch", "3"} << QByteArray("'batch' is no option");
    QTest::newRow("empty") << Arguments{""} << QByteArray("'' is no option");
    QTest::newRow("bytes") << Arguments{"--\xff\xfe"} << QByteArray("is no option");
    QTest::newRow("value missing") << Arguments{"--batch"} << QByteArray("--batch needs a value: --batch N");
    QTest::newRow("no number") << Arguments{"--batch", "12x"}
                               << QByteArray("--batch is '12x', but must be a whole number");
    QTest::newRow("empty number") << Arguments{"--batch="} << QByteArray("--batch is ''");
    QTest::newRow("too small") << Arguments{"--batch", "0"} << QByteArray("from 1 to");
    QTest::newRow("too large") << Arguments{"--batch", "99999999999999999999"} << QByteArray("--batch is '9999");
    QTest::newRow("not finite") << Arguments{"--lr", "nan"} << QByteArray("--lr is 'nan', but must be a number from 0");
    QTest::newRow("infinite") << Arguments{"--timeout", "inf"} << QByteArray("--timeout is 'inf'");
    QTest::newRow("choice") << Arguments{"--model", "gpt5"}
                            << QByteArray("--model is 'gpt5', but must be one of mlp, cnn");
    QTest::newRow("contradiction") << Arguments{"--optimizer", "sgd", "--nesterov", "yes", "--momentum", "0"}
                                   << QByteArray("--nesterov yes needs");
}

void TestTrainerOptions::wrongOnesSayWhichIsMeant()
{
    QFETCH(Arguments, arguments);
    QFETCH(QByteArray, words);
    try {
        (void)parsed(arguments);
        QFAIL("was taken");
    } catch (const Failure& failure) {
        QVERIFY(failure.code() == ExitCode::Options);
        QVERIFY2(QByteArray(failure.what()).contains(words), failure.what());
    }
}

void TestTrainerOptions::helpListsEveryOptionWithItsDefault()
{
    const std::string help = helpText();
    for (const OptionRow& row : optionTable()) {
        QVERIFY2(help.find("--" + row.name + " " + row.argument) != std::string::npos, row.name.c_str());
        const std::string value = shownValue(Options{}, row);
        QVERIFY2(value.empty() || help.find("(" + value + ")") != std::string::npos, row.name.c_str());
        if (!value.empty()) { // every default is a value that the option itself takes
            Options options;
            setOption(options, row, value);
        }
    }
}

void TestTrainerOptions::helpListsEveryExitCode()
{
    const QByteArray help = QByteArray::fromStdString(helpText());
    for (const char* code : {"\n  0 ", "\n  1 ", "\n  2 ", "\n  3 ", "\n  4 ", "\n  5 ", "\n  6 ", "\n  7 ", "\n  8 ",
                             "\n  9 ", "\n  10 ", "\n  11 ", "\n  143 "})
        QVERIFY2(help.contains(code), code);
}

void TestTrainerOptions::learningRateFollowsTheOptimiser()
{
    QCOMPARE(parsed({}).learningRate(), 0.001);
    QCOMPARE(parsed({}).decay(), 0.01);
    QCOMPARE(parsed({"--optimizer", "sgd"}).learningRate(), 0.01);
    QCOMPARE(parsed({"--optimizer", "sgd"}).decay(), 0.0);
    QCOMPARE(parsed({"--lr", "0.3"}).learningRate(), 0.3);
}

void TestTrainerOptions::placement_data()
{
    using Variables = QMap<QByteArray, QByteArray>;
    QTest::addColumn<QByteArray>("init");
    QTest::addColumn<Variables>("variables");
    QTest::addColumn<QByteArray>("expected"); // rank/world address port file, or the words of the refusal
    const Variables full{
        {"RANK", "3"}, {"WORLD_SIZE", "4"}, {"LOCAL_RANK", "1"}, {"MASTER_ADDR", "10.1.0.1"}, {"MASTER_PORT", "29500"}};
    const auto row = [](const char* name, const char* init, const Variables& variables, const char* expected) {
        QTest::newRow(name) << QByteArray(init) << variables << QByteArray(expected);
    };
    const auto with = [&full](const char* name, const char* value) {
        Variables changed = full;
        changed[name] = value;
        return changed;
    };
    row("alone", "env://", {}, "0/1  0 ");
    row("alone by name", "env://", {{"RANK", "0"}, {"WORLD_SIZE", "1"}}, "0/1  0 ");
    row("full", "env://", full, "3/4 10.1.0.1 29500 ");
    row("two ranks a device", "env://", with("LOCKSTEP_RANKS_PER_DEVICE", "2"), "3/4 10.1.0.1 29500 ");
    row("no rank a device", "env://", with("LOCKSTEP_RANKS_PER_DEVICE", "0"), "LOCKSTEP_RANKS_PER_DEVICE is '0'");
    row("rank beyond", "env://", with("RANK", "4"), "RANK is 4, but WORLD_SIZE is only 4");
    row("rank negative", "env://", with("RANK", "-1"), "RANK is '-1'");
    row("rank empty", "env://", with("RANK", ""), "WORLD_SIZE is set, but RANK is not");
    row("world no number", "env://", with("WORLD_SIZE", "4 "), "WORLD_SIZE is '4 '");
    row("world zero", "env://", with("WORLD_SIZE", "0"), "WORLD_SIZE is '0'");
    row("no address", "env://", with("MASTER_ADDR", ""), "MASTER_ADDR is not set");
    row("no port", "env://", with("MASTER_PORT", ""), "MASTER_PORT is not set");
    row("port too large", "env://", with("MASTER_PORT", "65536"), "MASTER_PORT is '65536'");

    row("tcp", "tcp://node7:1234", full, "3/4 node7 1234 ");
    row("tcp, ranks in it", "tcp://10.1.0.9:1?rank=2&world_size=3", {}, "2/3 10.1.0.9 1 ");
    row("it goes before the environment", "tcp://10.1.0.9:1?rank=0&world_size=8", full, "0/8 10.1.0.9 1 ");
    row("tcp, IPv6", "tcp://[fe80::1]:29500", full, "3/4 fe80::1 29500 ");
    row("tcp, IPv6 bare", "tcp://::1:29500", full, "brackets");
    row("tcp, no port", "tcp://node7", full, "no :PORT");
    row("tcp, port empty", "tcp://node7:", full, "the port in --init is ''");
    row("tcp, port too large", "tcp://node7:70000", full, "the port in --init is '70000'");
    row("tcp, path", "tcp://node7/x:1", full, "is no HOST:PORT");
    row("tcp, no host", "tcp://:29500", full, "is no HOST:PORT");
    row("tcp, no rank", "tcp://node7:1", {}, "which rank this is");
    row("file", "file:///shared/meet", full, "3/4  0 /shared/meet");
    row("file, ranks in it", "file:///m?world_size=2&rank=1", {}, "1/2  0 /m");
    row("file, relative", "file://meet", full, "must begin with /");
    row("file, folder", "file:///shared/", full, "the path of a file");
    row("env, ranks in it", "env://?rank=1&world_size=2", full, "1/2 10.1.0.1 29500 ");
    row("env, more", "env://here", full, "nothing may follow env://");
    row("unknown query", "tcp://n:1?rnk=1", full, "'rnk=1' is neither");
    row("unknown scheme", "http://n:1", full, "must be env://, tcp://HOST:PORT or file:///PATH");
    row("no scheme", "node7:1", full, "must be env://, tcp://HOST:PORT or file:///PATH");
    row("empty", "", full, "must be env://");
}

void TestTrainerOptions::placement()
{
    using Variables = QMap<QByteArray, QByteArray>;
    QFETCH(QByteArray, init);
    QFETCH(Variables, variables);
    QFETCH(QByteArray, expected);
    const Lookup lookup = [&variables](const char* name) {
        return variables.contains(name) ? std::optional(variables[name].toStdString()) : std::nullopt;
    };
    try {
        const Placement place = placementFor(init.toStdString(), lookup);
        QCOMPARE(QByteArray::number(place.rank) + "/" + QByteArray::number(place.world) + " " +
                     QByteArray::fromStdString(place.masterAddr) + " " + QByteArray::number(place.masterPort) + " " +
                     QByteArray::fromStdString(place.meetingFile),
                 expected);
        QCOMPARE(place.localRank, variables.value("LOCAL_RANK", "0").toInt());
        QCOMPARE(place.device(), place.localRank / variables.value("LOCKSTEP_RANKS_PER_DEVICE", "1").toInt());
    } catch (const Failure& failure) {
        QVERIFY(failure.code() == ExitCode::Options);
        QVERIFY2(QByteArray(failure.what()).contains(expected), failure.what());
    }
}

void TestTrainerOptions::lostPeers_data()
{
    QTest::addColumn<QByteArray>("message");
    QTest::addColumn<bool>("lost");
    QTest::newRow("gloo closed") << QByteArray(
                                        "[gloo/transport/tcp/pair.cc:525] Connection closed by peer [127.0.0.1]:4")
                                 << true;
    QTest::newRow("gloo silent") << QByteArray("Timed out waiting 15000ms for recv operation to complete") << true;
    QTest::newRow("own") << QByteArray("mat1 and mat2 shapes cannot be multiplied") << false;
    QTest::newRow("empty") << QByteArray() << false;
}

void TestTrainerOptions::lostPeers()
{
    QFETCH(QByteArray, message);
    QFETCH(bool, lost);
    QCOMPARE(speaksOfLostPeer(message.toStdString()), lost);
    QCOMPARE(oneLine("first\nsecond\nException raised from x\nframe #0"), std::string("first second"));
}

QTEST_GUILESS_MAIN(TestTrainerOptions)
#include "tst_traineroptions.moc"
