// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/wire/escape.h"

#include <QTest>

#include <random>

using namespace lockstep::wire;

class TestEscape : public QObject {
    Q_OBJECT

private slots:
    void forms_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QByteArray>("escaped");
        QTest::newRow("empty") << QByteArray("") << QByteArray("");
        QTest::newRow("plain") << QByteArray("loss=2.3/a:b") << QByteArray("loss=2.3/a:b");
        QTest::newRow("space") << QByteArray(" a b ") << QByteArray("\\sa\\sb\\s");
        QTest::newRow("newline, tab, return") << QByteArray("1\n2\t3\r") << QByteArray("1\\n2\\t3\\r");
        QTest::newRow("backslash") << QByteArray("a\\s") << QByteArray("a\\\\s");
        QTest::newRow("NUL") << QByteArray("\0", 1) << QByteArray("\\x00");
        QTest::newRow("escape and delete") << QByteArray("\x1b\x7f") << QByteArray("\\x1b\\x7f");
        QTest::newRow("UTF-8 of 2, 3 and 4 bytes") << QByteArray("naïve 学习 🚀") << QByteArray("naïve\\s学习\\s🚀");
        QTest::newRow("lone continuation") << QByteArray("a\x80z") << QByteArray("a\\x80z");
        QTest::newRow("cut sequence") << QByteArray("\xe5\xad") << QByteArray("\\xe5\\xad");
        QTest::newRow("cut, then plain") << QByteArray("\xe5\xad"
                                                       "a")
                                         << QByteArray("\\xe5\\xada");
        QTest::newRow("overlong slash") << QByteArray("\xc0\xaf") << QByteArray("\\xc0\\xaf");
        QTest::newRow("overlong of 3") << QByteArray("\xe0\x80\xaf") << QByteArray("\\xe0\\x80\\xaf");
        QTest::newRow("surrogate") << QByteArray("\xed\xa0\x80") << QByteArray("\\xed\\xa0\\x80");
        QTest::newRow("above U+10FFFF") << QByteArray("\xf4\x90\x80\x80") << QByteArray("\\xf4\\x90\\x80\\x80");
        QTest::newRow("first of 4 valid") << QByteArray("\xf0\x90\x80\x80") << QByteArray("\xf0\x90\x80\x80");
        QTest::newRow("last valid") << QByteArray("\xf4\x8f\xbf\xbf") << QByteArray("\xf4\x8f\xbf\xbf");
        QTest::newRow("Latin-1") << QByteArray("caf\xe9") << QByteArray("caf\\xe9");
    }
    void forms()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QByteArray, escaped);
        std::string out = "before ";
        appendEscaped(out, bytes.toStdString());
        QCOMPARE(QByteArray::fromStdString(out), "before " + escaped);
        const auto back = unescaped(escaped.toStdString());
        QVERIFY(back.has_value());
        QCOMPARE(QByteArray::fromStdString(*back), bytes);
    }

    void refused_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("backslash at the end") << QByteArray("a\\");
        QTest::newRow("unknown letter") << QByteArray("\\q");
        QTest::newRow("short hex") << QByteArray("\\x4");
        QTest::newRow("no hex") << QByteArray("\\xg0");
        QTest::newRow("raw space") << QByteArray("a b");
        QTest::newRow("raw newline") << QByteArray("a\nb");
        QTest::newRow("raw delete") << QByteArray("\x7f");
    }
    void refused()
    {
        QFETCH(QByteArray, text);
        QVERIFY(!unescaped(text.toStdString()).has_value());
    }

    void hexInEitherCase() { QCOMPARE(*unescaped("\\xaF\\xFa"), std::string("\xaf\xfa")); }

    void anyBytesComeBack()
    {
        std::mt19937 random(20261129);
        std::string all;
        for (int i = 0; i < 200'000; ++i)
            all.push_back(static_cast<char>(random() & 0xff));
        std::string escaped;
        appendEscaped(escaped, all);
        QVERIFY(escaped.find_first_of(std::string(" \n\t\r\0\x7f", 6)) == std::string::npos);
        const auto back = unescaped(escaped);
        QVERIFY(back.has_value());
        QVERIFY(*back == all);
    }
};

QTEST_APPLESS_MAIN(TestEscape)
#include "tst_escape.moc"
