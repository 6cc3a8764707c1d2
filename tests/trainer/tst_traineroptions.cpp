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
    QTest::newRow("contradiction") << Arguments{"--nesterov", "yes", "--momentum", "0"}
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
        const std::string value = defaultValue(row);
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
    for (const char* code :
         {"\n  0 ", "\n  1 ", "\n  2 ", "\n  3 ", "\n  4 ", "\n  5 ", "\n  6 ", "\n  7 ", "\n  8 ", "\n  143 "})
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
    QTest::addColumn<Variables>("variables");
    QTest::addColumn<QByteArray>("words"); // empty: it is right
    QTest::newRow("alone") << Variables{} << QByteArray();
    QTest::newRow("alone by name") << Variables{{"RANK", "0"}, {"WORLD_SIZE", "1"}} << QByteArray();
    const Variables full{
        {"RANK", "3"}, {"WORLD_SIZE", "4"}, {"LOCAL_RANK", "1"}, {"MASTER_ADDR", "10.1.0.1"}, {"MASTER_PORT", "29500"}};
    QTest::newRow("full") << full << QByteArray();
    const auto with = [&full](const char* name, const char* value) {
        Variables changed = full;
        changed[name] = value;
        return changed;
    };
    QTest::newRow("rank beyond") << with("RANK", "4") << QByteArray("RANK is 4, but WORLD_SIZE is only 4");
    QTest::newRow("rank negative") << with("RANK", "-1") << QByteArray("RANK is '-1'");
    QTest::newRow("rank empty") << with("RANK", "") << QByteArray("WORLD_SIZE is set, but RANK is not");
    QTest::newRow("world no number") << with("WORLD_SIZE", "4 ") << QByteArray("WORLD_SIZE is '4 '");
    QTest::newRow("world zero") << with("WORLD_SIZE", "0") << QByteArray("WORLD_SIZE is '0'");
    QTest::newRow("no address") << with("MASTER_ADDR", "") << QByteArray("MASTER_ADDR is not set");
    QTest::newRow("no port") << with("MASTER_PORT", "") << QByteArray("MASTER_PORT is not set");
    QTest::newRow("port too large") << with("MASTER_PORT", "65536") << QByteArray("MASTER_PORT is '65536'");
}

void TestTrainerOptions::placement()
{
    using Variables = QMap<QByteArray, QByteArray>;
    QFETCH(Variables, variables);
    QFETCH(QByteArray, words);
    const Lookup lookup = [&variables](const char* name) {
        return variables.contains(name) ? std::optional(variables[name].toStdString()) : std::nullopt;
    };
    try {
        const Placement place = placementFrom(lookup);
        QVERIFY(words.isEmpty());
        QCOMPARE(place.rank, variables.value("RANK", "0").toInt());
        QCOMPARE(place.world, variables.value("WORLD_SIZE", "1").toInt());
        QCOMPARE(place.localRank, variables.value("LOCAL_RANK", "0").toInt());
        QCOMPARE(place.masterAddr, variables.value("MASTER_ADDR").toStdString());
    } catch (const Failure& failure) {
        QVERIFY(failure.code() == ExitCode::Options);
        QVERIFY2(!words.isEmpty() && QByteArray(failure.what()).contains(words), failure.what());
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
