// SPDX-License-Identifier: GPL-3.0-or-later
// The table of the trainer's options beside what the trainer itself says.
#include "core/trainerdefaults.h"

#include <QProcess>
#include <QRegularExpression>
#include <QTest>

using namespace lockstep;

class TestTrainerDefaults : public QObject {
    Q_OBJECT

private slots:
    void asTheTrainerHelps();
    void usual_data();
    void usual();
};

void TestTrainerDefaults::asTheTrainerHelps()
{
    constexpr int kHelpMs = 60'000;
    QProcess trainer;
    trainer.start(LOCKSTEP_BIN_DIR "/lockstep-trainer", {"--help"});
    QVERIFY2(trainer.waitForFinished(kHelpMs), qPrintable(trainer.errorString()));
    QCOMPARE(trainer.exitCode(), 0);
    const QString help = QString::fromUtf8(trainer.readAllStandardOutput());
    static const QRegularExpression kRow("^  --([a-z-]+) \\S+ +(.*)$", QRegularExpression::MultilineOption);
    QStringList theirs, ours;
    for (auto row = kRow.globalMatch(help); row.hasNext();) {
        const QRegularExpressionMatch match = row.next();
        theirs.append(match.captured(1).replace('-', '_') + " | " + match.captured(2));
    }
    for (const TrainerDefault& one : trainerDefaults()) {
        QString line = QString("%1 | %2").arg(one.name, one.meaning);
        if (const QStringList choices = choicesOf(one.name); !choices.isEmpty())
            line += ": " + choices.join(", ");
        if (*one.value != 0)
            line += QString(" (%1)").arg(one.value);
        ours.append(line);
    }
    QVERIFY2(theirs.size() > 20, qPrintable(help));
    QCOMPARE(ours.join('\n'), theirs.join('\n'));
    const RunSpec adamw; // what the sentences say of the optimisers is what usualValue() answers
    RunSpec sgd;
    sgd.setOption("optimizer", "sgd");
    for (const char* name : {"lr", "weight_decay"}) {
        const QString said = QString("%1 for adamw, %2 for sgd").arg(usualValue(adamw, name), usualValue(sgd, name));
        QVERIFY2(QString(trainerDefault(name)->meaning).endsWith(said), qPrintable(said));
    }
}

void TestTrainerDefaults::usual_data()
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

void TestTrainerDefaults::usual()
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

QTEST_GUILESS_MAIN(TestTrainerDefaults)
#include "tst_trainerdefaults.moc"
