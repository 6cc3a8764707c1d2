// SPDX-License-Identifier: GPL-3.0-or-later
// Where a node's result files lie here, and which paths are none.
#include "core/resultsshelf.h"

#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

using namespace lockstep;

class TestResultsShelf : public QObject {
    Q_OBJECT

private slots:
    void places_data();
    void places();
    void twoPathsAreTwoFiles();
};

void TestResultsShelf::places_data()
{
    QTest::addColumn<QByteArray>("path");
    QTest::addColumn<QString>("place"); // empty: refused
    QTest::newRow("in the working directory") << QByteArray("out/a.pt") << QStringLiteral("n1/out/a.pt");
    QTest::newRow("absolute") << QByteArray("/out/a.pt") << QStringLiteral("n1:root/out/a.pt");
    QTest::newRow("dots in a name") << QByteArray("a..b/...c") << QStringLiteral("n1/a..b/...c");
    for (const char* path : {"", "/", "..", "../a", "a/../b", "/a/../../b", "a/..", "./a", "a//b", "//a", "a/"})
        QTest::newRow(path) << QByteArray(path) << QString();
    QTest::newRow("NUL") << QByteArray("a\0b", 3) << QString();
}

void TestResultsShelf::places()
{
    QFETCH(QByteArray, path);
    QFETCH(QString, place);
    const QTemporaryDir folder;
    ResultsShelf shelf(folder.path(), QStringLiteral("n1"));
    const auto entry = shelf.begin(path, QByteArray(32, 'a'), 1);
    QCOMPARE(entry.has_value(), !place.isEmpty());
    if (entry)
        QCOMPARE(entry->file, folder.filePath(place));
    else
        QVERIFY2(entry.error().text.contains(QStringLiteral("n1 offers a result file that can't be")),
                 qPrintable(entry.error().text));
}

void TestResultsShelf::twoPathsAreTwoFiles()
{
    const QTemporaryDir folder;
    const QByteArray relative("etc/x"), absolute("/etc/x");
    {
        ResultsShelf shelf(folder.path(), QStringLiteral("n1"));
        for (const auto& [path, hash] : {std::pair(relative, QByteArray(32, 'a')), {absolute, QByteArray(32, 'b')}}) {
            const auto entry = shelf.begin(path, hash, 5);
            QVERIFY(entry.has_value());
            QFile incoming(shelf.incomingFile(*entry));
            QVERIFY(incoming.open(QIODevice::WriteOnly) && incoming.write(path.right(5)) == 5);
            incoming.close();
            QVERIFY(shelf.finish(*entry).has_value());
        }
    }
    const QList<ResultEntry> all = ResultsShelf::all(folder.path());
    QCOMPARE(all.size(), 2);
    QVERIFY(all[0].file != all[1].file);
    for (const ResultEntry& entry : all) {
        QVERIFY(entry.isWhole());
        QCOMPARE(QFileInfo(entry.file).size(), 5);
    }
}

QTEST_GUILESS_MAIN(TestResultsShelf)
#include "tst_resultsshelf.moc"
