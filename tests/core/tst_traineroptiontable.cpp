// SPDX-License-Identifier: GPL-3.0-or-later
// The table of the trainer's options as the desktop reads it.
#include "core/traineroptions.h"

#include <QFile>
#include <QTest>

using namespace lockstep;

class TestTrainerOptionTable : public QObject {
    Q_OBJECT

private slots:
    void everyLineIsUnderstood();
    void checked_data();
    void checked();
    void usual_data();
    void usual();
};

void TestTrainerOptionTable::everyLineIsUnderstood()
{
    QFile file(LOCKSTEP_SOURCE_DIR
               "/core/traineroptions.tsv"); // tests/trainer/option_tables.py holds it to the program
    QVERIFY(file.open(QIODevice::ReadOnly));
    const qsizetype lines = file.readAll().count('\n');
    QVERIFY(lines > 50);
    QCOMPARE(trainerOptions().size(), lines - 1); // every line was understood

    const RunSpec adamw; // what the sentences say of the optimisers is what usualValue() answers
    RunSpec adam, sgd;
    adam.setOption("optimizer", "adam");
    sgd.setOption("optimizer", "sgd");
    QVERIFY(trainerOption("lr")->meaning.endsWith(
        QString("0: %1 for adam and adamw, %2 for sgd").arg(usualValue(adam, "lr"), usualValue(sgd, "lr"))));
    QCOMPARE(usualValue(adamw, "lr"), usualValue(adam, "lr"));
    QVERIFY(trainerOption("weight_decay")
                ->meaning.endsWith(QString("%1 for adamw, %2 for the others")
                                       .arg(usualValue(adamw, "weight_decay"), usualValue(sgd, "weight_decay"))));
    QCOMPARE(usualValue(adam, "weight_decay"), usualValue(sgd, "weight_decay"));
}

void TestTrainerOptionTable::checked_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<QString>("reason"); // empty: right
    QTest::newRow("a choice") << "strategy" << QByteArray("fsdp") << "";
    QTest::newRow("no choice") << "strategy" << QByteArray("dpp")
                               << "strategy is one of ddp, fsdp, dp, single, not \"dpp\".";
    QTest::newRow("a number") << "clip_norm" << QByteArray("1e-3") << "";
    QTest::newRow("no number") << "clip_norm" << QByteArray("1,5")
                               << "clip_norm is a number from 0 to 1000000000000, not “1,5”.";
    QTest::newRow("too small") << "accumulate" << QByteArray("0")
                               << "accumulate is a whole number from 1 to 1048576, not “0”.";
    QTest::newRow("no whole number") << "batch" << QByteArray("2.5")
                                     << "batch is a whole number from 1 to 16777216, not “2.5”.";
    QTest::newRow("a text") << "checkpoint" << QByteArray("anything at all") << "";
    QTest::newRow("a slip") << "acumulate" << QByteArray("2")
                            << "\"acumulate\" is no option of the trainer; accumulate is: ";
}

void TestTrainerOptionTable::checked()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, value);
    QFETCH(QString, reason);
    const auto checked = checkTrainerOption(name, value);
    QCOMPARE(checked.has_value(), reason.isEmpty());
    if (!reason.isEmpty())
        QVERIFY2(checked.error().text.startsWith(reason), qPrintable(checked.error().text));
}

void TestTrainerOptionTable::usual_data()
{
    QTest::addColumn<QString>("optimizer");
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("usual");
    QTest::newRow("model") << ""
                           << "model"
                           << "cnn";
    QTest::newRow("optimiser") << ""
                               << "optimizer"
                               << "adamw";
    QTest::newRow("lr") << ""
                        << "lr"
                        << "0.001";
    QTest::newRow("lr of adamw") << "adamw"
                                 << "lr"
                                 << "0.001";
    QTest::newRow("lr of sgd") << "sgd"
                               << "lr"
                               << "0.01";
    QTest::newRow("decay of sgd") << "sgd"
                                  << "weight_decay"
                                  << "0";
    QTest::newRow("no checkpoint") << ""
                                   << "checkpoint"
                                   << "";
    QTest::newRow("unknown") << ""
                             << "zebra"
                             << "";
}

void TestTrainerOptionTable::usual()
{
    QFETCH(QString, optimizer);
    QFETCH(QString, name);
    QFETCH(QString, usual);
    RunSpec spec;
    if (!optimizer.isEmpty())
        spec.setOption("optimizer", optimizer.toUtf8());
    QCOMPARE(usualValue(spec, name), usual);
    if (name != "optimizer")
        QCOMPARE(valueInUse(spec, name), usual);
    spec.setOption(name, "own");
    QCOMPARE(valueInUse(spec, name), "own");
}

QTEST_GUILESS_MAIN(TestTrainerOptionTable)
#include "tst_traineroptiontable.moc"
