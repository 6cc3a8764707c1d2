// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/wire/decoder.h"
#include "core/wire/encoder.h"

#include <QTest>

using namespace lockstep::wire;

namespace {

struct Decoded {
    bool ok = false;
    std::string line;
    std::vector<Field> fields;
    RecordView record;
};

// Of the only record in `bytes`.
std::unique_ptr<Decoded> decodeOne(const std::string& bytes)
{
    auto result = std::make_unique<Decoded>();
    if (bytes.empty() || bytes.find('\n') != bytes.size() - 1)
        return result;
    result->line = bytes.substr(0, bytes.size() - 1);
    result->ok = decodeLine(result->line, result->record, result->fields);
    return result;
}

} // namespace

class TestEncoder : public QObject {
    Q_OBJECT

private slots:
    void theExampleOfTheHeader()
    {
        std::string out;
        Encoder encoder(out);
        encoder.begin("metric", 3, 184467000).field("step", 10).field("loss", 2.3025851).field("lr", 0.1).end();
        encoder.begin("err", 0, 184467120).field("text", "Traceback (most recent call last):").end();
        encoder.begin("device", kNode, -1).field("id", "gpu:GPU-5b1e09").field("mem_used", 61234126848LL).end();
        QCOMPARE(out, std::string("metric 3 184467000 step=10 loss=2.3025851 lr=0.1\n"
                                  "err 0 184467120 text=Traceback\\s(most\\srecent\\scall\\slast):\n"
                                  "device - -1 id=gpu:GPU-5b1e09 mem_used=61234126848\n"));
    }

    void keysFromOutsideBecomeKeys_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QByteArray>("written");
        QTest::newRow("good") << QByteArray("val/loss.1:a-b_C") << QByteArray("val/loss.1:a-b_C");
        QTest::newRow("space") << QByteArray("val loss") << QByteArray("val_loss");
        QTest::newRow("equals and newline") << QByteArray("a=b\nc") << QByteArray("a_b_c");
        QTest::newRow("empty") << QByteArray("") << QByteArray("_");
        QTest::newRow("long") << QByteArray(100, 'k') << QByteArray(64, 'k');
    }
    void keysFromOutsideBecomeKeys()
    {
        QFETCH(QByteArray, key);
        QFETCH(QByteArray, written);
        std::string out;
        Encoder encoder(out);
        encoder.begin("metric", 0, 0).field(key.toStdString(), 1).end();
        QCOMPARE(QByteArray::fromStdString(out), "metric 0 0 " + written + "=1\n");
    }

    void theLongestThatFitsIsNotCut()
    {
        const std::string head = "out 0 0 text=";
        const std::string text(kMaxRecordBytes - head.size() - 1, 'x');
        std::string out;
        Encoder encoder(out);
        encoder.begin("out", 0, 0).field("text", text).end();
        QCOMPARE(out.size(), kMaxRecordBytes);
        const auto decoded = decodeOne(out);
        QVERIFY(decoded->ok);
        QVERIFY(decoded->record.find("cut") == nullptr);
        QVERIFY(decoded->record.text("text") == text);
    }

    void longTextIsCutAndCounted_data()
    {
        QTest::addColumn<QByteArray>("unit");
        QTest::addColumn<int>("times");
        QTest::newRow("one byte too long") << QByteArray("x") << int(kMaxRecordBytes - 13);
        QTest::newRow("plain") << QByteArray("x") << 200'000;
        QTest::newRow("escapes of two") << QByteArray(" ") << 100'000;
        QTest::newRow("escapes of four") << QByteArray("\x01") << 50'000;
        QTest::newRow("letters of three bytes") << QByteArray("学") << 60'000;
        QTest::newRow("letters of four bytes") << QByteArray("🚀") << 60'000;
        QTest::newRow("10 MB") << QByteArray("0123456789") << 1'000'000;
    }
    void longTextIsCutAndCounted()
    {
        QFETCH(QByteArray, unit);
        QFETCH(int, times);
        const std::string text = unit.repeated(times).toStdString();
        std::string out = "metric 0 0 a=1\n";
        const std::size_t before = out.size();
        Encoder encoder(out);
        encoder.begin("out", 0, 0).field("step", 7).field("text", text).field("z", 0.5).end();
        QVERIFY(out.size() - before <= kMaxRecordBytes);
        QVERIFY(out.size() - before > kMaxRecordBytes - 64);
        const auto decoded = decodeOne(out.substr(before));
        QVERIFY(decoded->ok);
        const std::string kept = decoded->record.text("text");
        QVERIFY(text.starts_with(kept));
        QCOMPARE(kept.size() % static_cast<std::size_t>(unit.size() == 10 ? 1 : unit.size()), std::size_t(0));
        QCOMPARE(std::size_t(decoded->record.integer("cut").value_or(0)), text.size() - kept.size());
        QCOMPARE(*decoded->record.integer("step"), std::int64_t(7));
        QCOMPARE(*decoded->record.number("z"), 0.5);
    }

    void twoLongTextsAreBothCut()
    {
        std::string out;
        Encoder encoder(out);
        encoder.begin("x", 0, 0).field("a", std::string(70'000, 'a')).field("b", std::string(80'000, 'b')).end();
        const auto decoded = decodeOne(out);
        QVERIFY(decoded->ok);
        QVERIFY(out.size() <= kMaxRecordBytes);
        const std::size_t kept = decoded->record.text("a").size() + decoded->record.text("b").size();
        QCOMPARE(std::size_t(*decoded->record.integer("cut")), 150'000 - kept);
    }

    void tooManyNumbersDropWholeFields()
    {
        std::string out;
        Encoder encoder(out);
        encoder.begin("metric", 0, 0);
        for (int i = 0; i < 4000; ++i)
            encoder.field("metric_with_a_long_name_" + std::to_string(i), 1.0 / (i + 3));
        encoder.end();
        QVERIFY(out.size() <= kMaxRecordBytes);
        const auto decoded = decodeOne(out);
        QVERIFY(decoded->ok);
        QVERIFY(decoded->record.integer("cut").value_or(0) > 0);
        for (const Field& field : decoded->fields)
            QVERIFY2(field.key == "cut" || field.number().has_value(), "a number was cut into another number");
        QCOMPARE(*decoded->record.number("metric_with_a_long_name_0"), 1.0 / 3);
    }

    void rawFieldsPassOnAsTheyStood()
    {
        RecordView record;
        std::vector<Field> fields;
        QVERIFY(decodeLine("metric - 0 a=x\\sy b=\\x00", record, fields));
        std::string out;
        Encoder encoder(out);
        encoder.begin(record.kind, 4, 99);
        for (const Field& field : fields)
            encoder.rawField(field.key, field.raw);
        encoder.end();
        QCOMPARE(out, std::string("metric 4 99 a=x\\sy b=\\x00\n"));
    }
};

QTEST_APPLESS_MAIN(TestEncoder)
#include "tst_encoder.moc"
