// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/wire/decoder.h"
#include "core/wire/encoder.h"

#include <QTest>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

using namespace lockstep::wire;

namespace {

std::string encodedNumber(double value)
{
    std::string line;
    Encoder encoder(line);
    encoder.begin("metric", 0, 1).field("v", value).end();
    return line.substr(0, line.size() - 1);
}

double throughTheWire(double value)
{
    RecordView record;
    std::vector<Field> fields;
    const std::string line = encodedNumber(value);
    if (!decodeLine(line, record, fields))
        return -12345;
    return record.number("v").value_or(-54321);
}

} // namespace

class TestRecord : public QObject {
    Q_OBJECT

private slots:
    void doubles_data()
    {
        QTest::addColumn<double>("value");
        QTest::addColumn<QByteArray>("text");
        using limits = std::numeric_limits<double>;
        QTest::newRow("zero") << 0.0 << QByteArray("0");
        QTest::newRow("minus zero") << -0.0 << QByteArray("-0");
        QTest::newRow("tenth") << 0.1 << QByteArray("0.1");
        QTest::newRow("a float's tenth") << double(0.1f) << QByteArray("0.10000000149011612");
        QTest::newRow("smallest denormal") << limits::denorm_min() << QByteArray("5e-324");
        QTest::newRow("denormal") << 2.2250738585072009e-308 << QByteArray("2.225073858507201e-308");
        QTest::newRow("smallest normal") << limits::min() << QByteArray("2.2250738585072014e-308");
        QTest::newRow("largest") << limits::max() << QByteArray("1.7976931348623157e+308");
        QTest::newRow("inf") << limits::infinity() << QByteArray("inf");
        QTest::newRow("-inf") << -limits::infinity() << QByteArray("-inf");
        QTest::newRow("2^53+2") << 9007199254740994.0 << QByteArray("9007199254740994");
    }
    void doubles()
    {
        QFETCH(double, value);
        QFETCH(QByteArray, text);
        QCOMPARE(QByteArray::fromStdString(encodedNumber(value)), "metric 0 1 v=" + text);
        QCOMPARE(std::bit_cast<quint64>(throughTheWire(value)), std::bit_cast<quint64>(value));
    }

    void nan()
    {
        const double quiet = std::numeric_limits<double>::quiet_NaN();
        QCOMPARE(encodedNumber(quiet), std::string("metric 0 1 v=nan"));
        QCOMPARE(encodedNumber(-quiet), std::string("metric 0 1 v=nan"));
        QVERIFY(std::isnan(throughTheWire(quiet)));
    }

    void anyBitPatternComesBack()
    {
        std::mt19937_64 random(20261129);
        for (int i = 0; i < 100'000; ++i) {
            const double value = std::bit_cast<double>(random());
            const double back = throughTheWire(value);
            if (std::isnan(value))
                QVERIFY(std::isnan(back));
            else
                QCOMPARE(std::bit_cast<quint64>(back), std::bit_cast<quint64>(value));
        }
    }

    void numbersAsOthersWriteThem_data()
    {
        QTest::addColumn<QByteArray>("raw");
        QTest::addColumn<bool>("isNumber");
        QTest::newRow("Python's NaN") << QByteArray("NaN") << true;
        QTest::newRow("Infinity") << QByteArray("-Infinity") << true;
        QTest::newRow("exponent") << QByteArray("1E-4") << true;
        QTest::newRow("point first") << QByteArray(".5") << true;
        QTest::newRow("empty") << QByteArray("") << false;
        QTest::newRow("unit") << QByteArray("3ms") << false;
        QTest::newRow("hex") << QByteArray("0x10") << false;
        QTest::newRow("comma") << QByteArray("2,5") << false;
        QTest::newRow("escaped space") << QByteArray("1\\s") << false;
        QTest::newRow("n/a") << QByteArray("[N/A]") << false;
        QTest::newRow("not a double") << QByteArray("1e400") << false;
    }
    void numbersAsOthersWriteThem()
    {
        QFETCH(QByteArray, raw);
        QFETCH(bool, isNumber);
        const std::string bytes = raw.toStdString();
        QCOMPARE((Field{"v", bytes}.number().has_value()), isNumber);
    }

    void integers_data()
    {
        QTest::addColumn<QByteArray>("raw");
        QTest::addColumn<bool>("isInteger");
        QTest::addColumn<qint64>("value");
        QTest::newRow("zero") << QByteArray("0") << true << qint64(0);
        QTest::newRow("least") << QByteArray("-9223372036854775808") << true << std::numeric_limits<qint64>::min();
        QTest::newRow("most") << QByteArray("9223372036854775807") << true << std::numeric_limits<qint64>::max();
        QTest::newRow("above") << QByteArray("9223372036854775808") << false << qint64(0);
        QTest::newRow("fraction") << QByteArray("1.0") << false << qint64(0);
        QTest::newRow("empty") << QByteArray("") << false << qint64(0);
    }
    void integers()
    {
        QFETCH(QByteArray, raw);
        QFETCH(bool, isInteger);
        QFETCH(qint64, value);
        const std::string bytes = raw.toStdString();
        const auto read = Field{"v", bytes}.integer();
        QCOMPARE(read.has_value(), isInteger);
        QCOMPARE(qint64(read.value_or(0)), value);
    }

    void lastOfADoubledKeyWins()
    {
        RecordView record;
        std::vector<Field> fields;
        QVERIFY(decodeLine("metric 0 1 loss=1 x=a loss=2", record, fields));
        QCOMPARE(*record.number("loss"), 2.0);
        QVERIFY(record.find("los") == nullptr);
        QCOMPARE(record.text("nothing"), std::string());
        QVERIFY(!record.number("x").has_value());
    }

    void whatIsNoEscapedFormIsShownAsItStands()
    {
        QCOMPARE((Field{"text", "C:\\quick"}.text()), std::string("C:\\quick"));
        QCOMPARE((Field{"text", "a\\sb"}.text()), std::string("a b"));
    }
};

QTEST_APPLESS_MAIN(TestRecord)
#include "tst_record.moc"
