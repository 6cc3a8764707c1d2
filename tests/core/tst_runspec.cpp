// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/inventory.h"
#include "core/runspec.h"

#include <QTest>

using namespace lockstep;

class TestRunSpec : public QObject {
    Q_OBJECT

private slots:
    void port_data();
    void port();
    void roundTrip();
    void orderOfTheFile();
    void optionValues_data();
    void optionValues();
    void wrong_data();
    void wrong();
    void set_data();
    void set();
    void examples();
};

void TestRunSpec::port_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("result");
    QTest::newRow("free") << "0"
                          << "0";
    QTest::newRow("good") << "29500"
                          << "29500";
    QTest::newRow("highest") << "65535"
                             << "65535";
    QTest::newRow("negative") << "-1"
                              << "!negative";
    QTest::newRow("too large") << "69420"
                               << "!too large";
    QTest::newRow("far too large") << "99999999999999999999"
                                   << "!too large";
    QTest::newRow("blank after") << "29500 "
                                 << "!blank";
    QTest::newRow("blank before") << " 29500"
                                  << "!blank";
    QTest::newRow("underscore") << "29_500"
                                << "!no plain number";
    QTest::newRow("full-width") << QString::fromUtf8("２９５００") << "!no plain number";
    QTest::newRow("empty") << ""
                           << "!empty";
    QTest::newRow("plus") << "+29500"
                          << "!no plain number";
    QTest::newRow("hexadecimal") << "0x7000"
                                 << "!no plain number";
    QTest::newRow("a word") << "auto"
                            << "!no plain number";
    QTest::newRow("minus alone") << "-"
                                 << "!no plain number";
    QTest::newRow("of the system") << "1023"
                                   << "!allow_low_port";
    QTest::newRow("first open") << "1024"
                                << "1024";
}

void TestRunSpec::port()
{
    QFETCH(QString, text);
    QFETCH(QString, result);
    const Result<int> port = parsePort(text, false);
    if (result.startsWith('!'))
        QVERIFY2(!port && port.error().text.contains(result.mid(1)), port ? "accepted" : qPrintable(port.error().text));
    else
        QCOMPARE(QString::number(port.value_or(-1)), result);
    QCOMPARE(parsePort("80", true).value_or(-1), 80);
}

void TestRunSpec::roundTrip()
{
    RunSpec spec;
    spec.name = "fashion \"cnn\"";
    spec.nodes = "gpu[1-2] & @h100";
    spec.ranksPerNode = 3;
    spec.totalRanks = 6;
    spec.backend = Backend::Nccl;
    spec.masterPort = 29500;
    spec.allowLowPort = true;
    spec.graceS = 3;
    spec.relay = true;
    spec.trainer = {{"lr", "1e-05"}, {"model", "cnn"},      {"batch", "64"},      {"steps", "1_0"},
                    {"seed", "007"}, {"data_path", "true"}, {"timeout", "1e999"}, {"momentum", "-0"}};
    spec.arguments = {
        "a b", "$HOME",   "`id`", "", "--lr=1e-4", "1\n2", "\t", "na\xc3\xafve", QByteArray("\xff\xfe", 2),
        "\\",  "\x01\x7f"};
    spec.env = {
        {"X", "a\"b"}, {"Y", "$(touch pwned)"}, {"Z", "two\nlines"}, {"A.B-C d", "\xe5\xad\xa6"}, {"B", "\xff"}};
    spec.envOverride = {{"RANK", "7"}};
    // Values that no trainer takes, too: writing and reading changes nothing.
    const Result<RunSpec> again = RunSpec::parse(spec.toToml(), "spec.toml", RunSpec::Options::Any);
    QVERIFY2(again, again ? "" : qPrintable(again.error().text));
    QCOMPARE(again->toToml(), spec.toToml());
    QCOMPARE(*again, spec);
    QCOMPARE(*RunSpec::parse(RunSpec::demo().toToml(), "demo"), RunSpec::demo());
    spec.setOption("of_a_later_version", "1");
    QCOMPARE(*RunSpec::parse(spec.toToml(), "spec.toml", RunSpec::Options::Any), spec);
}

void TestRunSpec::orderOfTheFile()
{
    const Result<RunSpec> spec = RunSpec::parse("[env]\nZ = \"1\"\nA = \"2\"\nM = \"3\"\n", "x");
    QVERIFY(spec);
    QCOMPARE(spec->env, Environment({{"Z", "1"}, {"A", "2"}, {"M", "3"}}));
}

void TestRunSpec::optionValues_data()
{
    QTest::addColumn<QString>("option");
    QTest::addColumn<QByteArray>("toml");
    QTest::addColumn<QByteArray>("value");
    QTest::newRow("whole") << "steps" << QByteArray("64") << QByteArray("64");
    QTest::newRow("underscores") << "steps" << QByteArray("1_000") << QByteArray("1000");
    QTest::newRow("tenth") << "weight_decay" << QByteArray("0.1") << QByteArray("0.1");
    QTest::newRow("exponent") << "weight_decay" << QByteArray("1e-4") << QByteArray("1e-04");
    QTest::newRow("true") << "checkpoint" << QByteArray("true") << QByteArray("true");
    QTest::newRow("text") << "checkpoint" << QByteArray("'a\"b'") << QByteArray("a\"b");
    QTest::newRow("text that looks like a number") << "weight_decay" << QByteArray("\"0.10\"") << QByteArray("0.10");
}

void TestRunSpec::optionValues()
{
    QFETCH(QString, option);
    QFETCH(QByteArray, toml);
    const Result<RunSpec> spec = RunSpec::parse("[trainer]\n" + option.toUtf8() + " = " + toml + "\n", "x");
    QVERIFY(spec);
    QTEST(spec->option(option), "value");
    QCOMPARE(*RunSpec::parse(spec->toToml(), "x"), *spec);
}

void TestRunSpec::wrong_data()
{
    QTest::addColumn<QByteArray>("toml");
    QTest::addColumn<QString>("says");
    QTest::newRow("unknown key") << QByteArray("name = \"a\"\nnode = \"gpu1\"\n") << "s.toml, line 2: the key \"node\"";
    QTest::newRow("wrong type") << QByteArray("name = \"a\"\n\nranks_per_node = \"2\"\n")
                                << "line 3: ranks_per_node wants a whole number";
    QTest::newRow("negative") << QByteArray("ranks_per_node = -2\n") << "line 1: ranks_per_node = -2 is out of range";
    QTest::newRow("directory without a folder")
        << QByteArray("name = \"a\"\ndirectory = \"exp\"\n") << "line 2: directory = \"exp\" is inside no folder";
    QTest::newRow("directory that climbs")
        << QByteArray("folder = \"code\"\ndirectory = \"a/../../b\"\n") << "leads out of the folder that is sent";
    QTest::newRow("backend") << QByteArray("backend = \"mpi\"\n") << "auto, gloo or nccl";
    QTest::newRow("port -1") << QByteArray("\nmaster_port = -1\n") << "line 2: The master port -1 is negative";
    QTest::newRow("port 69420") << QByteArray("master_port = 69420\n") << "too large";
    QTest::newRow("port 80") << QByteArray("master_port = 80\n") << "allow_low_port";
    QTest::newRow("env a number") << QByteArray("[env]\nX = 1\n") << "line 2: the variable X wants a text in quotes";
    QTest::newRow("option a list") << QByteArray("[trainer]\nlr = [1]\n") << "line 2: trainer.lr wants";
    QTest::newRow("option's name") << QByteArray("[trainer]\nweight-decay = 1\n") << "without dashes: weight_decay";
    QTest::newRow("option mistyped")
        << QByteArray("[trainer]\n\nweigth_decay = 1\n")
        << "s.toml, line 3: \"weigth_decay\" is no option of the trainer; weight_decay is: ";
    QTest::newRow("option unknown") << QByteArray("[trainer]\nwarp_factor = 9\n")
                                    << "no option of the trainer; `lockstep-trainer --help` lists them";
    QTest::newRow("no choice")
        << QByteArray("[trainer]\nmodel = \"cn\"\n")
        << "line 2: model is one of mlp, cnn, resnet18, resnet50, vit, gpt, library, torchscript, not \"cn\"";
    QTest::newRow("no number") << QByteArray("[trainer]\nlr = true\n")
                               << "line 2: lr is a number from 0 to 1000000000000, not “true”";
    QTest::newRow("out of range") << QByteArray("[trainer]\nbatch = 0\n") << "line 2: batch is a whole number from 1";
    QTest::newRow("no yes or no") << QByteArray("[trainer]\nshuffle = true\n")
                                  << "shuffle is one of no, yes, not \"true\"";
    QTest::newRow("arguments") << QByteArray("arguments = [1]\n") << "arguments wants a list of texts";
    QTest::newRow("doubled") << QByteArray("name = \"a\"\nname = \"b\"\n") << "line 2";
    QTest::newRow("empty name") << QByteArray("name = \" \"\n") << "the name is empty";
    QTest::newRow("syntax") << QByteArray("name = \n") << "line 1";
}

void TestRunSpec::wrong()
{
    QFETCH(QByteArray, toml);
    QFETCH(QString, says);
    const Result<RunSpec> spec = RunSpec::parse(toml, "s.toml");
    QVERIFY(!spec);
    QVERIFY2(spec.error().text.contains(says), qPrintable(spec.error().text));
}

void TestRunSpec::set_data()
{
    QTest::addColumn<QString>("assignment");
    QTest::addColumn<QString>("line"); // found in the spec's TOML, or ! and words of the error
    QTest::newRow("trainer's, short") << "lr=0.1"
                                      << "lr = 0.1";
    QTest::newRow("trainer's, long") << "trainer.weight-decay=1e-05"
                                     << "weight_decay = 1e-05";
    QTest::newRow("nodes") << "nodes=gpu1"
                           << "nodes = \"gpu1\"";
    QTest::newRow("relay") << "relay=true"
                           << "relay = true";
    QTest::newRow("relay, wrong") << "relay=maybe"
                                  << "!relay";
    QTest::newRow("ranks a node") << "ranks_per_node=4"
                                  << "ranks_per_node = 4";
    QTest::newRow("env with =") << "env.X=a=b c"
                                << "X = \"a=b c\"";
    QTest::newRow("override") << "env_override.RANK=3"
                              << "RANK = \"3\"";
    QTest::newRow("empty value") << "data_path="
                                 << "data_path = \"\"";
    QTest::newRow("no =") << "lr"
                          << "!sets nothing";
    QTest::newRow("not a number") << "ranks_per_node=many"
                                  << "!whole number";
    QTest::newRow("bad port") << "master_port=29_500"
                              << "!no plain number";
    QTest::newRow("bad backend") << "backend=mpi"
                                 << "!auto, gloo or nccl";
    QTest::newRow("British") << "optimiser=sgd"
                             << "!optimizer is: fused optimiser";
    QTest::newRow("mistyped key") << "node=gpu1"
                                  << "!\"node\" is no key of a spec; nodes is";
    QTest::newRow("mistyped option") << "trainer.epoch=3"
                                     << "!epochs is: passes over the data";
    QTest::newRow("unknown") << "zebra=1"
                             << "!no option of the trainer; `lockstep-trainer --help` lists them";
    QTest::newRow("no choice") << "optimizer=sdg"
                               << "!one of sgd, adam, adamw, not \"sdg\"";
    QTest::newRow("no option's name") << "a.b=1"
                                      << "!no option's name";
}

void TestRunSpec::set()
{
    QFETCH(QString, assignment);
    QFETCH(QString, line);
    RunSpec spec = RunSpec::demo();
    const Result<void> done = spec.set(assignment);
    if (line.startsWith('!')) {
        QVERIFY2(!done && done.error().text.contains(line.mid(1)), done ? "accepted" : qPrintable(done.error().text));
        QCOMPARE(spec, RunSpec::demo());
    } else {
        QVERIFY(done);
        QVERIFY2(spec.toToml().split('\n').contains(line.toUtf8()), spec.toToml().constData());
    }
}

void TestRunSpec::examples()
{
    const QString folder = QStringLiteral(LOCKSTEP_SOURCE_DIR "/examples/");
    const Result<RunSpec> demo = RunSpec::load(folder + "demo.toml");
    QVERIFY2(demo, demo ? "" : qPrintable(demo.error().text));
    QCOMPARE(*demo, RunSpec::demo());
    const Result<RunSpec> two = RunSpec::load(folder + "two-nodes.toml");
    QVERIFY2(two, two ? "" : qPrintable(two.error().text));
    const Result<Inventory> inventory = Inventory::load(folder + "inventory.toml");
    QVERIFY2(inventory, inventory ? "" : qPrintable(inventory.error().text));
    QCOMPARE(inventory->nodes.size(), 18); // three by name, and old[01-16] without old07
    QCOMPARE(inventory->select(two->nodes).value_or(QList<Node>()).size(), 2);
}

QTEST_GUILESS_MAIN(TestRunSpec)
#include "tst_runspec.moc"
