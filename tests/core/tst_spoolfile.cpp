// SPDX-License-Identifier: GPL-3.0-or-later
// The desktop's copy of a spool in segments: every state that a crash can leave is made by hand.
#include "core/runstore.h"
#include "segments.h"
#include "spools.h"

#include <QTemporaryDir>
#include <QTest>

using namespace lockstep;
using namespace lockstep::test;

class TestSpoolFile : public QObject {
    Q_OBJECT

private slots:
    void grows();
    void crash_data();
    void crash();
    void twoDesktops();
    void storeCompresses();
    void storeTakesUpWhatACrashLeft();
    void summaryOfCompressedRun();
};

namespace {

constexpr int kWaitMs = 30'000;

void pressAll(SpoolFile& spool)
{
    for (const QString& plain : spool.takePlainSegments()) {
        const Result<void> done = compressSegment(plain);
        QVERIFY2(done, done ? "" : qPrintable(done.error().text));
    }
}

} // namespace

void TestSpoolFile::grows()
{
    const QTemporaryDir folder;
    SpoolFile spool(folder.filePath("gpu1.spool"), "gpu1", kSmall);
    const QByteArray all = records(3400);
    QCOMPARE(spool.size().value_or(-1), 0);
    QCOMPARE(spool.read(0, 100).value_or("x"), "");
    for (qint64 offset = 0; offset < all.size(); offset += 100) {
        QVERIFY(spool.append(offset, view(all.mid(offset, 100))));
        QCOMPARE(spool.size().value_or(-1), offset + 100);
    }
    QCOMPARE(files(folder.path()), "spool 000000 000001 000002");
    QCOMPARE(spool.read(0, 10'000).value_or(""), all);
    pressAll(spool);
    QVERIFY(spool.takePlainSegments().isEmpty());
    QCOMPARE(files(folder.path()), "spool 000000.zst 000001.zst 000002.zst");
    QCOMPARE(spool.read(0, 10'000).value_or(""), all);
    SpoolFile again(folder.filePath("gpu1.spool"), "gpu1", kSmall);
    QCOMPARE(again.size().value_or(-1), all.size());
    QCOMPARE(again.read(0, 10'000).value_or(""), all);
    QVERIFY(again.takePlainSegments().isEmpty());
}

void TestSpoolFile::crash_data()
{
    QTest::addColumn<QString>("left"); // NAME=FROM-TO, in hundreds of bytes; NAME=torn: a beginning of the compressed
    QTest::addColumn<qint64>("size");
    QTest::addColumn<QString>("then"); // after one more append, and compression
    QTest::newRow("nothing there") << "" << qint64{0} << "spool";
    QTest::newRow("append cut short") << "spool=0-3" << qint64{300} << "spool";
    QTest::newRow("full, not renamed") << "spool=0-10" << qint64{1000} << "000000.zst";
    QTest::newRow("renamed") << "000000=0-10" << qint64{1000} << "spool 000000.zst";
    QTest::newRow("renamed, new tail") << "000000=0-10 spool=10-14" << qint64{1400} << "spool 000000.zst";
    QTest::newRow("compressing") << "000000=0-10 000000.zst.new=torn" << qint64{1000} << "spool 000000.zst";
    QTest::newRow("compressed aside") << "000000=0-10 000000.zst.new=0-10 spool=10-12" << qint64{1200}
                                      << "spool 000000.zst";
    QTest::newRow("compressed, plain not gone")
        << "000000=0-10 000000.zst=0-10 spool=10-12" << qint64{1200} << "spool 000000.zst";
    QTest::newRow("a torn one beside the plain") << "000000=0-10 000000.zst=torn" << qint64{1000} << "spool 000000.zst";
    QTest::newRow("compressed, no tail") << "000000.zst=0-10" << qint64{1000} << "spool 000000.zst";
    QTest::newRow("compressed, tail") << "000000.zst=0-10 spool=10-11" << qint64{1100} << "spool 000000.zst";
    QTest::newRow("compressed, empty tail") << "000000.zst=0-10 spool=10-10" << qint64{1000} << "spool 000000.zst";
    QTest::newRow("two waiting") << "000000=0-10 000001=10-20 spool=20-25" << qint64{2500}
                                 << "spool 000000.zst 000001.zst";
    QTest::newRow("the second done before the first")
        << "000000=0-10 000001.zst=10-20 spool=20-25" << qint64{2500} << "spool 000000.zst 000001.zst";
    QTest::newRow("one long tail of before") << "spool=0-30" << qint64{3000} << "000000.zst";
}

void TestSpoolFile::crash()
{
    QFETCH(QString, left);
    QFETCH(qint64, size);
    QFETCH(QString, then);
    const QTemporaryDir folder;
    const QString tail = folder.filePath("gpu1.spool");
    const QByteArray all = records(5000);
    for (const QString& one : left.split(' ', Qt::SkipEmptyParts)) {
        const QString name = one.section('=', 0, 0), what = one.section('=', 1);
        const qsizetype from = what.section('-', 0, 0).toInt() * 100, to = what.section('-', 1).toInt() * 100;
        QByteArray bytes = all.mid(from, to - from);
        if (what == "torn")
            bytes = compressed(folder.path(), all.left(1000)).left(200);
        else if (name.contains(".zst"))
            bytes = compressed(folder.path(), bytes);
        put(name == "spool" ? tail : tail + '.' + name, bytes);
    }
    SpoolFile spool(tail, "gpu1", kSmall);
    QCOMPARE(spool.size().value_or(-1), size);
    QCOMPARE(spool.read(0, 10'000).value_or("x"), all.left(size));
    QVERIFY(!spool.append(size - 1, "x"));
    QVERIFY(!spool.append(size + 1, "x"));
    QVERIFY(spool.append(size, view(all.mid(size, 50))));
    QCOMPARE(spool.read(0, 10'000).value_or("x"), all.left(size + 50));
    pressAll(spool);
    QCOMPARE(files(folder.path()), then);
    QCOMPARE(spool.read(0, 10'000).value_or("x"), all.left(size + 50));
    SpoolFile again(tail, "gpu1", kSmall);
    QCOMPARE(again.read(0, 10'000).value_or("x"), all.left(size + 50));
    QVERIFY(again.append(size + 50, view(all.mid(size + 50, 1200))));
    QCOMPARE(again.read(0, 10'000).value_or("x"), all.left(size + 1250));
}

void TestSpoolFile::twoDesktops()
{
    const QTemporaryDir folder;
    const QString tail = folder.filePath("gpu1.spool");
    SpoolFile one(tail, "gpu1", kSmall), other(tail, "gpu1", kSmall);
    const QByteArray all = records(6000);
    for (qint64 offset = 0; offset < all.size(); offset += 300) { // each finishes tails that the other has seen
        SpoolFile& turn = offset % 600 == 0 ? one : other;
        QVERIFY(turn.append(offset, view(all.mid(offset, 300))));
        QVERIFY(!turn.append(offset, view(all.mid(offset, 300))));
        QCOMPARE(one.size().value_or(-1), offset + 300);
        QCOMPARE(other.size().value_or(-1), offset + 300);
        if (offset % 900 == 0)
            pressAll(turn);
    }
    QCOMPARE(one.read(0, 10'000).value_or("x"), all);
    QCOMPARE(other.read(0, 10'000).value_or("x"), all);
}

void TestSpoolFile::storeCompresses()
{
    const QTemporaryDir folder;
    const DataFolder data(folder.path());
    QByteArray all = test::hello(0, test::kStartUs) + records(5 * CompressedSegment::kFrameBytes);
    all.truncate(all.lastIndexOf('\n') + 1);
    QString id;
    {
        RunStore store(data, 2 * CompressedSegment::kFrameBytes);
        id = store.create(RunSpec::demo(), test::twoByTwo())->id;
        constexpr qint64 kPiece = 40'000;
        for (qint64 offset = 0; offset < all.size(); offset += kPiece)
            QVERIFY(store.append(id, "gpu1", offset, view(all.mid(offset, kPiece))));
        QCOMPARE(store.spoolSize(id, "gpu1").value_or(-1), all.size());
        QTRY_COMPARE_WITH_TIMEOUT(files(data.runFolder(id)), "spool 000000.zst 000001.zst", kWaitMs);
        QCOMPARE(store.readSpool(id, "gpu1", 0, all.size()).value_or("x"), all);
    }
    RunStore store(data);
    QCOMPARE(store.spoolSize(id, "gpu1").value_or(-1), all.size());
    RunData run;
    QVERIFY(openRun(store, id, run));
    QCOMPARE(run.series({"loss", 0, 0, {}, 1})->size(), static_cast<std::size_t>(all.count("\nmetric")));
}

void TestSpoolFile::storeTakesUpWhatACrashLeft()
{
    const QTemporaryDir folder;
    const DataFolder data(folder.path());
    const QByteArray all = records(2500);
    RunStore store(data, kSmall);
    const QString id = store.create(RunSpec::demo(), test::twoByTwo())->id;
    const QString tail = data.spoolFile(id, "gpu1");
    put(tail + ".000000", all.left(1000));
    put(tail + ".000000.zst.new", "half");
    put(tail + ".000001", all.mid(1000, 1000));
    put(tail, all.mid(2000));
    QCOMPARE(store.readSpool(id, "gpu1", 0, 5000).value_or("x"), all);
    QTRY_COMPARE_WITH_TIMEOUT(files(data.runFolder(id)), "spool 000000.zst 000001.zst", kWaitMs);
    QCOMPARE(store.readSpool(id, "gpu1", 0, 5000).value_or("x"), all);
}

void TestSpoolFile::summaryOfCompressedRun()
{
    const QTemporaryDir folder;
    RunStore store(DataFolder(folder.path()), CompressedSegment::kFrameBytes);
    RunState state = *store.create(RunSpec::demo(), test::twoByTwo());
    QByteArray spool = test::hello(0, test::kStartUs);
    for (int step = 0; step < 40'000; ++step)
        spool += QString("metric 0 %1 step=%1 loss=%2\n").arg(step).arg(40'000 - step).toLatin1();
    constexpr qint64 kPiece = 100'000;
    for (qint64 offset = 0; offset < spool.size(); offset += kPiece)
        QVERIFY(store.append(state.id, "gpu1", offset, view(spool.mid(offset, kPiece))));
    state.phase = RunPhase::Finished;
    QVERIFY(store.saveState(state));
    const RunSummary summary = store.list()->first();
    QCOMPARE(summary.lastLoss, 1.0);
    QCOMPARE(summary.sparkline.size(), static_cast<std::size_t>(kSparklineValues));
    QVERIFY(std::is_sorted(summary.sparkline.rbegin(), summary.sparkline.rend()));
}

QTEST_GUILESS_MAIN(TestSpoolFile)
#include "tst_spoolfile.moc"
