// SPDX-License-Identifier: GPL-3.0-or-later
// The one text that login shells see, and the filter for what they print before the program speaks. That the words
// arrive is proven through real shells in tst_sshtransport.
#include "remote/argv.h"
#include "remote/markerfilter.h"
#include "tests/remote/argumentrows.h"

#include <QProcess>
#include <QTest>

using namespace lockstep;

class TestArgv : public QObject {
    Q_OBJECT

private slots:
    void holdsNothingThatShellsReadDifferently();
    void arrivesThrough_data();
    void arrivesThrough();
    void filterFindsTheMarkerAtEverySplit();
    void filterKeepsTheEndWithoutAMarker();
};

void TestArgv::holdsNothingThatShellsReadDifferently()
{
    const QByteArray command = loginShellCommand(test::argumentWords(), "marker");
    for (const char c : command)
        QVERIFY2(c >= ' ' && c <= '~' && c != '!', command.constData());
    // Single quotes come in pairs around a word; a backslash stands only inside them, and only before 0.
    bool quoted = false;
    for (qsizetype i = 0; i < command.size(); ++i) {
        quoted ^= command[i] == '\'';
        if (command[i] == '\\')
            QVERIFY(quoted && command[i + 1] == '0');
    }
    QVERIFY(!quoted);
}

void TestArgv::arrivesThrough_data()
{
    QTest::addColumn<QString>("shell");
    QTest::newRow("bash") << "bash";
    QTest::newRow("dash") << "dash";
    QTest::newRow("zsh") << "zsh";
    QTest::newRow("fish") << "fish";
    QTest::newRow("tcsh") << "tcsh";
}

void TestArgv::arrivesThrough()
{
    QFETCH(QString, shell);
    QList<QByteArray> argv{"printf", "%s\\0"};
    QByteArray expected = "marker\n";
    for (const QByteArray& word : test::argumentWords()) {
        argv += word;
        expected += word + '\0';
    }
    QProcess process;
    process.start(shell, {"-c", QString::fromLatin1(loginShellCommand(argv, "marker"))});
    QVERIFY(process.waitForFinished());
    QCOMPARE(process.readAllStandardOutput(), expected);
    QCOMPARE(process.readAllStandardError(), QByteArray("marker\n"));
}

void TestArgv::filterFindsTheMarkerAtEverySplit()
{
    const QByteArray stream = "Welcome!\nlockstep-0lockstep-0123\nthe answer\nlockstep-0123\n";
    const QByteArray answer = "the answer\nlockstep-0123\n";
    for (qsizetype first = 0; first <= stream.size(); ++first) {
        for (qsizetype second = first; second <= stream.size(); ++second) {
            MarkerFilter filter("lockstep-0123");
            QByteArray passed = filter.feed(stream.constData(), first);
            passed += filter.feed(stream.constData() + first, second - first);
            passed += filter.feed(stream.constData() + second, stream.size() - second);
            QCOMPARE(passed, answer);
            QVERIFY(filter.found());
        }
    }
}

void TestArgv::filterKeepsTheEndWithoutAMarker()
{
    MarkerFilter filter("lockstep-0123");
    const QByteArray flood(100'000, 'x'), words = "This account is not available.\n";
    QCOMPARE(filter.feed(flood.constData(), flood.size()), QByteArray());
    QCOMPARE(filter.feed(words.constData(), words.size()), QByteArray());
    QVERIFY(!filter.found());
    QVERIFY(filter.before().endsWith(words));
    QVERIFY(filter.before().size() < 20'000);
    QVERIFY(!filter.isEndless()); // a long welcome
    for (int i = 0; i < 50; ++i)
        QCOMPARE(filter.feed(flood.constData(), flood.size()), QByteArray());
    QVERIFY(filter.isEndless());
}

QTEST_GUILESS_MAIN(TestArgv)
#include "tst_argv.moc"
