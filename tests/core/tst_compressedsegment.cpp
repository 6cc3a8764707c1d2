// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compressedsegment.h"
#include "core/spoolfile.h"
#include "segments.h"

#include <QTemporaryDir>

#include <sys/file.h>
#include <zstd.h>

using namespace lockstep;
using namespace lockstep::test;

class TestCompressedSegment : public QObject {
    Q_OBJECT

private slots:
    void places_data();
    void places();
    void damage_data();
    void damage();
    void compressedByAnother();
    void cantBeCompressed();
    void isPlainZstd();
};

void TestCompressedSegment::places_data()
{
    QTest::addColumn<qint64>("offset");
    QTest::addColumn<qint64>("limit");
    constexpr qint64 kFrame = CompressedSegment::kFrameBytes;
    constexpr qint64 kSegment = 3 * kFrame + 500;
    const QList<std::tuple<const char*, qint64, qint64>> rows{{"nothing", 10, 0},
                                                              {"a byte", 0, 1},
                                                              {"inside a frame", 1000, 5000},
                                                              {"a frame's last byte", kFrame - 1, 1},
                                                              {"a frame's first byte", kFrame, 1},
                                                              {"over a frame's end", kFrame - 5, 10},
                                                              {"whole frames", kFrame, 2 * kFrame},
                                                              {"the segment's last byte", kSegment - 1, 1},
                                                              {"over the segment's end", kSegment - 3, 6},
                                                              {"over a whole segment", kSegment - 3, kSegment + 6},
                                                              {"into the tail", 2 * kSegment - 10, 20},
                                                              {"everything", 0, 1 << 30},
                                                              {"the end", 2 * kSegment + 700, 10},
                                                              {"beyond the end", 2 * kSegment + 701, 10},
                                                              {"far beyond the end", 1LL << 40, 10},
                                                              {"before the beginning", -5, 10},
                                                              {"a limit below nothing", 5, -1}};
    for (const auto& [name, offset, limit] : rows)
        QTest::newRow(name) << offset << limit;
}

void TestCompressedSegment::places()
{
    QFETCH(qint64, offset);
    QFETCH(qint64, limit);
    constexpr qint64 kSegment = 3 * CompressedSegment::kFrameBytes + 500;
    static const QByteArray all = records(2 * kSegment + 700);
    const QTemporaryDir folder;
    const QString tail = folder.filePath("gpu1.spool");
    put(tail + ".000000.zst", compressed(folder.path(), all.left(kSegment)));
    put(tail + ".000001.zst", compressed(folder.path(), all.mid(kSegment, kSegment)));
    put(tail, all.mid(2 * kSegment));
    SpoolFile spool(tail, "gpu1", kSegment);
    const QByteArray expected = all.mid(std::max<qint64>(0, offset), std::max<qint64>(0, limit));
    QCOMPARE(spool.read(offset, limit).value_or("x"), expected);
    QCOMPARE(spool.read(offset, limit).value_or("x"), expected); // from the frame that was kept
    QCOMPARE(spool.read(0, 10).value_or("x"), all.left(10));
}

void TestCompressedSegment::damage_data()
{
    QTest::addColumn<QString>("harm");
    QTest::addColumn<QString>("says");
    QTest::newRow("empty") << "empty"
                           << "its end is missing";
    QTest::newRow("cut") << "cut"
                         << "its end is missing";
    QTest::newRow("no zstd") << "noise"
                             << "its end is missing";
    QTest::newRow("frames beyond the file") << "frames"
                                            << "longer than the file";
    QTest::newRow("bytes that are not there") << "row"
                                              << "bytes that are not there";
    QTest::newRow("table without a beginning") << "table"
                                               << "no beginning";
    QTest::newRow("a frame changed") << "frame"
                                     << "can't be read";
    QTest::newRow("a segment missing") << "gap"
                                       << "has a gap";
}

void TestCompressedSegment::damage()
{
    QFETCH(QString, harm);
    QFETCH(QString, says);
    const QTemporaryDir folder;
    const QString tail = folder.filePath("gpu1.spool");
    QByteArray packed = compressed(folder.path(), records(2000));
    const qsizetype end = packed.size();
    if (harm == "empty")
        packed.clear();
    else if (harm == "cut")
        packed.chop(3);
    else if (harm == "noise")
        packed.fill('x');
    else if (harm == "frames")
        packed[end - 8] = '\x7f'; // of the number of frames
    else if (harm == "row")
        packed[end - 14] = '\x7f'; // of the frame's compressed bytes
    else if (harm == "table")
        packed[end - 25] = 'x';
    else if (harm == "frame")
        packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] ^ 0x55);
    put(tail + (harm == "gap" ? ".000001.zst" : ".000000.zst"), packed);
    put(tail, "tail");
    SpoolFile spool(tail, "gpu1", kSmall);
    const Result<QByteArray> read = spool.read(0, 100'000);
    QVERIFY(!read);
    QVERIFY2(read.error().text.contains(says), qPrintable(read.error().text));
    QCOMPARE(read.error().code, ErrorCode::Io);
    QCOMPARE(read.error().node, "gpu1");
}

void TestCompressedSegment::compressedByAnother()
{
    const QTemporaryDir folder;
    const QString plain = folder.filePath("gpu1.spool.000000");
    put(plain, records(1000));
    {
        const OpenFile held(plain, O_RDONLY);
        QCOMPARE(::flock(held.get(), LOCK_EX), 0);
        QVERIFY(compressSegment(plain)); // nothing to do for us
        QCOMPARE(files(folder.path()), "000000");
    }
    QVERIFY(compressSegment(plain));
    QCOMPARE(files(folder.path()), "000000.zst");
    QVERIFY(compressSegment(plain)); // gone already
    QCOMPARE(QFile::permissions(plain + ".zst") & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
}

void TestCompressedSegment::cantBeCompressed()
{
    const QTemporaryDir folder;
    const QString plain = folder.filePath("gpu1.spool.000000");
    put(plain, records(1000));
    QVERIFY(QDir(folder.path()).mkdir("gpu1.spool.000000.zst.new"));
    const Result<void> pressed = compressSegment(plain);
    QVERIFY(!pressed && pressed.error().text.contains("000000.zst.new"));
    SpoolFile spool(folder.filePath("gpu1.spool"), "gpu1", kSmall);
    QCOMPARE(spool.read(0, 2000).value_or("x"), records(1000)); // plain, and whole
}

void TestCompressedSegment::isPlainZstd()
{
    const QTemporaryDir folder;
    const QString plain = folder.filePath("gpu1.spool.000000");
    const QByteArray all = records(2 * CompressedSegment::kFrameBytes + 10);
    put(plain, all);
    QVERIFY(compressSegment(plain));
    QFile file(plain + ".zst");
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray packed = file.readAll();
    QByteArray whole(all.size() + 1, '\0');
    const std::size_t got = ZSTD_decompress(whole.data(), static_cast<std::size_t>(whole.size()), packed.constData(),
                                            static_cast<std::size_t>(packed.size())); // as `zstd -d` does it
    QVERIFY2(ZSTD_isError(got) == 0, ZSTD_getErrorName(got));
    QCOMPARE(whole.left(static_cast<qsizetype>(got)), all);
}

QTEST_GUILESS_MAIN(TestCompressedSegment)
#include "tst_compressedsegment.moc"
