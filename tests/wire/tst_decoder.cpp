// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/wire/decoder.h"

#include <QDir>
#include <QTest>

#include <initializer_list>

using namespace lockstep::wire;

namespace {

struct Seen { // all that a reader gets
    QStringList records;
    quint64 malformed = 0;
    quint64 oversize = 0;
    std::string pending;

    bool operator==(const Seen&) const = default;
};

Seen decodeInPieces(std::initializer_list<std::string_view> pieces, quint64 offset = 0)
{
    Seen seen;
    Decoder decoder(offset);
    for (const std::string_view piece : pieces) {
        decoder.feed(piece, [&](const RecordView& record) {
            QString line =
                QString::number(record.offset) + " " + QByteArray(record.line.data(), qsizetype(record.line.size()));
            for (const Field& field : *record.fields)
                line += " |" + QByteArray::fromStdString(std::string(field.key) + "|" + std::string(field.raw));
            seen.records += QString::fromStdString(std::string(record.kind)) + QString::number(record.rank) + line;
        });
    }
    seen.malformed = decoder.counts().malformed;
    seen.oversize = decoder.counts().oversize;
    seen.pending = decoder.pending();
    return seen;
}

} // namespace

class TestDecoder : public QObject {
    Q_OBJECT

private slots:
    void lines_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<bool>("isRecord");
        QTest::newRow("no fields") << QByteArray("clock - 5") << true;
        QTest::newRow("negative time") << QByteArray("clock - -5 wall_us=1") << true;
        QTest::newRow("unknown kind and keys") << QByteArray("quark_2 7 1 spin=up") << true;
        QTest::newRow("empty value") << QByteArray("out 0 1 text=") << true;
        QTest::newRow("equals in a value") << QByteArray("env - 0 v=a=b") << true;
        QTest::newRow("several spaces, from echo") << QByteArray("metric - 0  step=1   loss=2 ") << true;
        QTest::newRow("kind of 32 bytes") << QByteArray(32, 'k') + " - 0" << true;
        QTest::newRow("key of 64 bytes") << "metric 0 0 " + QByteArray(64, 'k') + "=1" << true;
        QTest::newRow("raw bytes in a value") << QByteArray("out 0 0 text=caf\xe9") << true;
        QTest::newRow("4096 fields") << "m 0 0" + QByteArray(" a=1").repeated(4096) << true;

        QTest::newRow("empty") << QByteArray("") << false;
        QTest::newRow("only a kind") << QByteArray("metric") << false;
        QTest::newRow("no time") << QByteArray("metric 0") << false;
        QTest::newRow("kind of 33 bytes") << QByteArray(33, 'k') + " - 0" << false;
        QTest::newRow("kind with a capital") << QByteArray("Metric 0 0") << false;
        QTest::newRow("kind starts with a digit") << QByteArray("3d 0 0") << false;
        QTest::newRow("leading space") << QByteArray(" metric 0 0") << false;
        QTest::newRow("rank -1") << QByteArray("metric -1 0") << false;
        QTest::newRow("rank too large") << QByteArray("metric 2147483648 0") << false;
        QTest::newRow("rank is a word") << QByteArray("metric all 0") << false;
        QTest::newRow("time is a fraction") << QByteArray("metric 0 1.5") << false;
        QTest::newRow("time too large") << QByteArray("metric 0 9223372036854775808") << false;
        QTest::newRow("field without equals") << QByteArray("metric 0 0 loss") << false;
        QTest::newRow("field without key") << QByteArray("metric 0 0 =1") << false;
        QTest::newRow("key of 65 bytes") << "metric 0 0 " + QByteArray(65, 'k') + "=1" << false;
        QTest::newRow("key with a bracket") << QByteArray("metric 0 0 a[0]=1") << false;
        QTest::newRow("4097 fields") << "m 0 0" + QByteArray(" a=1").repeated(4097) << false;
        QTest::newRow("text for people") << QByteArray("Traceback (most recent call last):") << false;
        QTest::newRow("NUL bytes") << QByteArray(20, '\0') << false;
    }
    void lines()
    {
        QFETCH(QByteArray, line);
        QFETCH(bool, isRecord);
        RecordView record;
        std::vector<Field> fields;
        const std::string bytes = line.toStdString();
        QCOMPARE(decodeLine(bytes, record, fields), isRecord);
        // What is no record harms no neighbour.
        const Seen seen = decodeInPieces({"a 0 1\n" + bytes + "\nb 0 2\n"});
        QCOMPARE(seen.records.size(), isRecord ? 3 : 2);
        QCOMPARE(seen.malformed, isRecord ? 0u : 1u);
    }

    void partsOfARecord()
    {
        RecordView record;
        std::vector<Field> fields;
        QVERIFY(decodeLine("device - -184468000 id=gpu:GPU-5b index=0 util=97", record, fields));
        QCOMPARE(record.kind, std::string_view("device"));
        QCOMPARE(record.rank, kNode);
        QCOMPARE(record.timeUs, std::int64_t(-184468000));
        QCOMPARE(fields.size(), std::size_t(3));
        QCOMPARE(fields[0].key, std::string_view("id"));
        QCOMPARE(fields[0].raw, std::string_view("gpu:GPU-5b"));
        QVERIFY(decodeLine("metric 2147483647 1", record, fields));
        QCOMPARE(record.rank, 2147483647);
        QVERIFY(fields.empty());
    }

    void offsets()
    {
        const Seen seen = decodeInPieces({"a 0 1\nrubbish\n\nb 0 2 x", "=1\nc 0 3"}, 1000);
        QCOMPARE(seen.records, QStringList({"a01000 a 0 1", "b01015 b 0 2 x=1 |x|1"}));
        QCOMPARE(seen.malformed, 2u);
        QCOMPARE(seen.pending, std::string("c 0 3"));
    }

    void everySplitPointOfTheCorpus_data()
    {
        QTest::addColumn<QString>("path");
        const QDir folder(QStringLiteral(LOCKSTEP_SOURCE_DIR "/tests/wire/corpus"));
        const auto files = folder.entryInfoList(QDir::Files, QDir::Name);
        QVERIFY(files.size() >= 5);
        for (const QFileInfo& file : files)
            QTest::newRow(qPrintable(file.fileName())) << file.filePath();
    }
    void everySplitPointOfTheCorpus()
    {
        QFETCH(QString, path);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const std::string bytes = file.readAll().toStdString();
        const std::string_view all = bytes;
        const Seen whole = decodeInPieces({all});
        QVERIFY(!whole.records.isEmpty() || whole.malformed > 0);
        for (std::size_t at = 0; at <= all.size(); ++at)
            QVERIFY2(decodeInPieces({all.substr(0, at), all.substr(at)}) == whole, qPrintable(QString::number(at)));
        Decoder decoder; // and byte by byte
        for (const char& byte : bytes)
            decoder.feed({&byte, 1}, [](const RecordView&) {});
        QCOMPARE(quint64(decoder.counts().records), quint64(whole.records.size()));
        QCOMPARE(quint64(decoder.counts().bytes), quint64(all.size()));
    }

    void aroundTheLimit_data()
    {
        QTest::addColumn<int>("bytes"); // of the line with its newline
        QTest::addColumn<int>("records");
        QTest::addColumn<quint64>("oversize");
        QTest::newRow("at the limit") << int(kMaxRecordBytes) << 3 << quint64(0);
        QTest::newRow("one above") << int(kMaxRecordBytes) + 1 << 2 << quint64(1);
        QTest::newRow("far above") << 10'000'000 << 2 << quint64(1);
    }
    void aroundTheLimit()
    {
        QFETCH(int, bytes);
        QFETCH(int, records);
        QFETCH(quint64, oversize);
        const std::string head = "out 0 0 text=";
        const std::string text =
            "a 0 1\n" + head + std::string(std::size_t(bytes) - head.size() - 1, 'x') + "\nb 0 2\n";
        const std::string_view all = text;
        const Seen whole = decodeInPieces({all});
        QCOMPARE(whole.records.size(), records);
        QCOMPARE(whole.oversize, oversize);
        QCOMPARE(whole.malformed, quint64(0));
        for (const std::size_t at :
             {std::size_t(6), std::size_t(100), kMaxRecordBytes - 1, kMaxRecordBytes, kMaxRecordBytes + 4,
              kMaxRecordBytes + 5, kMaxRecordBytes + 6, all.size() - 7, all.size() - 6})
            QVERIFY(decodeInPieces({all.substr(0, at), all.substr(at)}) == whole);
        QCOMPARE(whole.records.back(), QString("b0%1 b 0 2").arg(all.size() - 6));
    }

    void anEndlessLineTakesNoMemory()
    {
        Decoder decoder;
        const std::string piece(1000, 'x');
        for (int i = 0; i < 1000; ++i) {
            decoder.feed(piece, [](const RecordView&) { QFAIL("there is no record"); });
            QVERIFY(decoder.pending().size() <= kMaxRecordBytes);
        }
        QCOMPARE(decoder.counts().oversize, std::uint64_t(1));
    }
};

QTEST_APPLESS_MAIN(TestDecoder)
#include "tst_decoder.moc"
