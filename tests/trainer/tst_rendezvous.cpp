// SPDX-License-Identifier: GPL-3.0-or-later
// Real ranks that meet, or do not, in each of the three ways.
#include "tests/trainer/ranks.h"

#include <QDir>
#include <QFile>
#include <QTest>

using namespace lockstep::test;

namespace {

constexpr int kRendezvous = 6;
constexpr int kMismatch = 10;

QString urlFor(const QString& way, const QTemporaryDir& folder, int port)
{
    if (way == "tcp")
        return QStringLiteral("tcp://127.0.0.1:%1").arg(port);
    return way == "file" ? "file://" + folder.filePath("meet") : QStringLiteral("env://");
}

void ways()
{
    QTest::addColumn<QString>("way");
    for (const char* way : {"env", "tcp", "file"})
        QTest::newRow(way) << QString(way);
}

} // namespace

class TestRendezvous : public QObject {
    Q_OBJECT

private slots:
    void allThreeWaysLeadTogether_data() { ways(); }
    void allThreeWaysLeadTogether();
    void ranksInTheUrl();
    void aFileThatWasLeftOverIsNoObstacle();
    void anythingElseThereIsRefused_data();
    void anythingElseThereIsRefused();
    void missingRanksAreNamedOnEveryOther_data() { ways(); }
    void missingRanksAreNamedOnEveryOther();
    void aMissingRankZeroIsNamed();
    void anotherNumberOfRanksIsTold();
};

void TestRendezvous::allThreeWaysLeadTogether()
{
    QFETCH(QString, way);
    const QTemporaryDir folder;
    Ranks ranks(3, quick({"--steps", "2", "--init", urlFor(way, folder, freePort())}));
    QVERIFY(ranks.finish());
    for (int rank = 0; rank < 3; ++rank)
        QVERIFY2(ranks.exitCode(rank) == 0, ranks.errors(rank).constData());
    QVERIFY(!QFile::exists(folder.filePath("meet"))); // rank 0 tidies up
}

void TestRendezvous::ranksInTheUrl()
{
    const QString url = QStringLiteral("tcp://127.0.0.1:%1?world_size=2&rank=").arg(freePort());
    Ranks ranks(2, quick({"--steps", "2"}), [&url](Start& start) {
        for (const char* name : {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"})
            start.environment.remove(name);
        start.options += {"--init", url + QString::number(start.rank)};
    });
    QVERIFY(ranks.finish());
    for (int rank = 0; rank < 2; ++rank)
        QVERIFY2(ranks.exitCode(rank) == 0, ranks.errors(rank).constData());
    QCOMPARE(ranks.fact(1, "world"), std::string("2"));
}

void TestRendezvous::aFileThatWasLeftOverIsNoObstacle()
{
    const QTemporaryDir folder;
    const QStringList options = quick({"--steps", "2", "--init", urlFor("file", folder, 0)});
    Ranks failed(2, options + QStringList{"--rendezvous-timeout", "1"},
                 [](Start& start) { start.absent = start.rank == 1; });
    QVERIFY(failed.finish());
    QCOMPARE(failed.exitCode(0), kRendezvous);
    QVERIFY(QFile::exists(folder.filePath("meet")));
    Ranks ranks(2, options);
    QVERIFY(ranks.finish());
    for (int rank = 0; rank < 2; ++rank)
        QVERIFY2(ranks.exitCode(rank) == 0, ranks.errors(rank).constData());
}

void TestRendezvous::anythingElseThereIsRefused_data()
{
    QTest::addColumn<QByteArray>("content"); // null: a folder
    QTest::newRow("text") << QByteArray("garbage\n");
    QTest::newRow("few bytes") << QByteArray("ab");
    QTest::newRow("zeros") << QByteArray(64, '\0');
    QTest::newRow("a length that is none") << QByteArray("\xff\xff\xff\xff/key");
    QTest::newRow("folder") << QByteArray();
}

void TestRendezvous::anythingElseThereIsRefused()
{
    QFETCH(QByteArray, content);
    const QTemporaryDir folder;
    const QString path = folder.filePath("meet");
    if (content.isNull()) {
        QVERIFY(QDir().mkdir(path));
    } else {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(content), content.size());
    }
    Ranks ranks(2, {"--rendezvous-timeout", "20", "--init", urlFor("file", folder, 0)});
    QVERIFY(ranks.finish());
    for (int rank = 0; rank < 2; ++rank) {
        QCOMPARE(ranks.exitCode(rank), 6);
        QVERIFY(ranks.errors(rank).contains("name one that is not there yet"));
    }
}

void TestRendezvous::missingRanksAreNamedOnEveryOther()
{
    QFETCH(QString, way);
    const QTemporaryDir folder;
    const QStringList options = {"--rendezvous-timeout", "3", "--init", urlFor(way, folder, freePort())};
    Ranks ranks(4, quick(options), [](Start& start) { start.absent = start.rank == 1 || start.rank == 2; });
    QVERIFY(ranks.finish());
    for (const int rank : {0, 3}) {
        const QByteArray errors = ranks.errors(rank);
        QVERIFY2(errors.contains("2 of 4 ranks did not come to") && errors.contains("missing 1, 2; here 0, 3"),
                 errors.constData());
        QCOMPARE(errors.count('\n'), 1);
        QCOMPARE(ranks.exitCode(rank), kRendezvous);
    }
}

void TestRendezvous::aMissingRankZeroIsNamed()
{
    const QTemporaryDir folder;
    const QStringList options = {"--rendezvous-timeout", "2", "--init", urlFor("file", folder, 0)};
    Ranks ranks(3, quick(options), [](Start& start) { start.absent = start.rank == 0; });
    QVERIFY(ranks.finish());
    for (const int rank : {1, 2}) {
        const QByteArray errors = ranks.errors(rank);
        QVERIFY2(errors.contains("1 of 3 ranks did not come to") && errors.contains("missing 0; here 1, 2"),
                 errors.constData());
        QCOMPARE(ranks.exitCode(rank), kRendezvous);
    }
}

void TestRendezvous::anotherNumberOfRanksIsTold()
{
    Ranks ranks(3, quick({"--rendezvous-timeout", "20"}), [](Start& start) {
        if (start.rank == 2)
            start.environment.insert("WORLD_SIZE", "4");
    });
    QVERIFY(ranks.finish());
    for (int rank = 0; rank < 3; ++rank) {
        const QByteArray errors = ranks.errors(rank);
        QVERIFY2(errors.contains("rank 2 has WORLD_SIZE 4, rank 0 has 3"), errors.constData());
        QCOMPARE(ranks.exitCode(rank), kMismatch);
    }
}

QTEST_GUILESS_MAIN(TestRendezvous)
#include "tst_rendezvous.moc"
