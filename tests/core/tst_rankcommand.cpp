// SPDX-License-Identifier: GPL-3.0-or-later
// The line that "Copy commands" gives, run by real shells: the words and variables arrive byte for byte.
#include "plannednodes.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace lockstep;

class TestRankCommand : public QObject {
    Q_OBJECT

private slots:
    void arrives_data();
    void arrives();
};

void TestRankCommand::arrives_data()
{
    QTest::addColumn<QString>("shell");
    QTest::addColumn<QByteArray>("word");
    const QList<QByteArray> words{"a b",          "$HOME", "`id`",     "$(id)",        "\"x\"",
                                  "'y'",          "it's",  "a&b",      "a;b",          "a|b",
                                  "(1)",          "*",     "~",        "!x",           "\\",
                                  "%d",           "#c",    "",         "--lr=1e-4",    "{\"a\": [1, 2]}",
                                  "     ",        "-",     "--",       "na\xc3\xafve", "\xe5\xad\xa6\xe4\xb9\xa0",
                                  "1\n2",         "\tt",   "\xff\xfe", "a=b",          "$(touch pwned)",
                                  "two\nlines\n", "=ls",   "=1",       "a'b\"c\\d!e",  "\\'",
                                  "\\\\!!",       "%s%n",  "^a^b",     "x=~/y",        "[a-z]?",
                                  "<>",           "%self"};
    for (const char* shell : {"bash", "dash", "zsh", "fish", "tcsh"}) {
        for (const QByteArray& word : words) {
            if (word.contains('\n') && shell == QByteArray("tcsh"))
                continue; // it takes no line break in quotes
            QTest::addRow("%s %s", shell, word.toPercentEncoding().constData()) << QString(shell) << word;
        }
    }
}

void TestRankCommand::arrives()
{
    QFETCH(QString, shell);
    QFETCH(QByteArray, word);
    const QTemporaryDir folder;
    const QString bundle = folder.filePath("it's a bundle");
    QVERIFY(QDir().mkpath(bundle));
    QFile program(bundle + "/lockstep-trainer"); // prints its words and one variable, each ended by NUL
    QVERIFY(program.open(QIODevice::WriteOnly));
    program.write("#!/bin/sh\nfor a in \"$@\"; do printf '%s\\0' \"$a\"; done\nprintf '%s\\0%s\\0' \"$VALUE\" "
                  "\"$RANK$STRANGER\"\n");
    program.close();
    QVERIFY(program.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));

    RunSpec spec;
    spec.ranksPerNode = 2;
    spec.trainer = {{"data", word}};
    spec.arguments = {word};
    spec.env = {{"VALUE", word}};
    LaunchPlan plan = makePlan(spec, test::nodes({"this"}), {});
    QVERIFY(plan.command(1).isEmpty()); // where the runtime lies is not known yet
    plan.nodes[0].runtimeFolder = bundle;
    QVERIFY(plan.launchable());
    QProcess process;
    process.setWorkingDirectory(folder.path());
    process.start(shell, QStringList{},
                  QIODevice::ReadWrite); // the line goes to stdin: QString would change bytes that are not UTF-8
    QVERIFY2(process.waitForStarted(), qPrintable(process.errorString()));
    process.write((shell == "tcsh"   ? "setenv STRANGER 1\n"
                   : shell == "fish" ? "set -x STRANGER 1\n"
                                     : "export STRANGER=1\n") +
                  plan.command(1) + "\n");
    process.closeWriteChannel();
    QVERIFY(process.waitForFinished());
    QCOMPARE(process.readAllStandardOutput(),
             "--data" + QByteArray(1, '\0') + word + '\0' + word + '\0' + word + '\0' + "1" + '\0');
    QCOMPARE(process.readAllStandardError(), QByteArray());
    QVERIFY(!QFile::exists(folder.filePath("pwned")));
    QVERIFY(plan.command(7).isEmpty());
}

QTEST_GUILESS_MAIN(TestRankCommand)
#include "tst_rankcommand.moc"
