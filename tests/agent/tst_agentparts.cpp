// SPDX-License-Identifier: GPL-3.0-or-later
// The agent's small parts, as tables.
#include "remote/agent/budget.h"
#include "remote/agent/contentstore.h"
#include "remote/agent/folders.h"
#include "remote/agent/gpurelease.h"
#include "remote/agent/linesplitter.h"

#include <QTest>

using namespace lockstep::agent;

class TestAgentParts : public QObject {
    Q_OBJECT

private slots:
    void gpusAreSeenFree_data()
    {
        QTest::addColumn<QByteArray>("records");
        QTest::addColumn<int>("freed");
        QTest::addColumn<int>("held");
        QTest::addColumn<bool>("settled"); // before the time is over
        QTest::newRow("nothing heard") << QByteArray() << 0 << 0 << false;
        QTest::newRow("both free") << QByteArray("device - 1 id=gpu:GPU-a processes=\ndevice - 1 id=gpu:GPU-b "
                                                 "processes=77:1000\n")
                                   << 2 << 0 << true;
        QTest::newRow("one is held") << QByteArray("device - 1 id=gpu:GPU-a processes=\ndevice - 1 id=gpu:GPU-b "
                                                   "processes=77:1000,41:5\n")
                                     << 1 << 1 << false;
        QTest::newRow("held, then free")
            << QByteArray("device - 1 id=gpu:GPU-a processes=41:-1\ndevice - 1 id=gpu:GPU-b processes=\n"
                          "device - 2 id=gpu:GPU-a processes=\n")
            << 2 << 0 << true;
        QTest::newRow("other devices") << QByteArray("device - 1 id=gpu:GPU-c processes=41:9\ndevice - 1 id=cpu "
                                                     "util=3\n")
                                       << 0 << 0 << false;
        QTest::newRow("the driver does not say") << QByteArray("device - 1 id=gpu:GPU-a util=3\n") << 0 << 0 << false;
    }
    void gpusAreSeenFree()
    {
        QFETCH(QByteArray, records);
        QFETCH(int, freed);
        QFETCH(int, held);
        QFETCH(bool, settled);
        GpuRelease release({"GPU-a", "GPU-b"}, {41, 42}, 1'000'000);
        release.take({records.constData(), static_cast<std::size_t>(records.size())});
        QCOMPARE(static_cast<int>(release.freed()), freed);
        QCOMPARE(static_cast<int>(release.held()), held);
        QCOMPARE(release.isSettled(2'000'000), settled);
        QVERIFY(release.isSettled(4'000'000)); // nothing is waited for without end
    }

    void splitting_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QStringList>("lines"); // "text" or "text+CUT"
        const QByteArray longest(qsizetype(kMaxTextBytes), 'x');
        QTest::newRow("lines") << QByteArray("a\nb\n\nc\n") << QStringList{"a", "b", "", "c"};
        QTest::newRow("unfinished") << QByteArray("a\nb") << QStringList{"a", "b"};
        QTest::newRow("nothing") << QByteArray("") << QStringList();
        QTest::newRow("DOS lines") << QByteArray("a\r\nb\r\n") << QStringList{"a", "b"};
        QTest::newRow("progress bar") << QByteArray("10%\r20%\r\x1b[31m30%\x1b[0m\n")
                                      << QStringList{"\x1b[31m30%\x1b[0m"};
        QTest::newRow("bar that clears itself") << QByteArray("50%\r100%\r\ndone\n") << QStringList{"100%", "done"};
        QTest::newRow("bar without end") << QByteArray("10%\r20%\r30%") << QStringList{"30%"};
        QTest::newRow("bar, waiting") << QByteArray("10%\r20%\r") << QStringList{"20%"};
        QTest::newRow("only returns") << QByteArray("\r\r\r\n") << QStringList{""};
        QTest::newRow("at the limit") << longest + "\n" << QStringList{longest};
        QTest::newRow("above the limit") << longest + "yyy\nz\n" << QStringList{longest + "+3", "z"};
        QTest::newRow("a letter at the limit") << longest.chopped(1) + "学y\n"
                                               << QStringList{longest.chopped(1) + "+4"};
        QTest::newRow("a long bar") << longest + longest + "\r5%\n" << QStringList{"5%"};
    }
    void splitting()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QStringList, lines);
        const std::string_view all(bytes.constData(), std::size_t(bytes.size()));
        for (std::size_t at = 0; at <= all.size(); at += all.size() > 1000 ? 997 : 1) {
            QStringList seen;
            const auto take = [&](std::string_view text, std::uint64_t cut) {
                seen += QString::fromUtf8(text.data(), qsizetype(text.size())) +
                        (cut > 0 ? "+" + QString::number(cut) : QString());
            };
            LineSplitter splitter;
            splitter.feed(all.substr(0, at), take);
            splitter.feed(all.substr(at), take);
            splitter.finish(take);
            QCOMPARE(seen, lines);
        }
    }

    void budget_data()
    {
        QTest::addColumn<int>("lines");
        QTest::addColumn<int>("bytes"); // of a line
        QTest::addColumn<int>("everyUs");
        QTest::addColumn<int>("taken");
        // 10 lines/s and 1000 bytes/s, 2 s at once
        QTest::newRow("at once, by lines") << 100 << 10 << 0 << 20;
        QTest::newRow("at once, by bytes") << 100 << 500 << 0 << 4;
        QTest::newRow("within the rate") << 100 << 10 << 100'000 << 100;
        QTest::newRow("twice the rate for 10 s") << 200 << 10 << 50'000 << 119;
        QTest::newRow("one too large for ever") << 5 << 2001 << 1'000'000 << 0;
    }
    void budget()
    {
        QFETCH(int, lines);
        QFETCH(int, bytes);
        QFETCH(int, everyUs);
        QFETCH(int, taken);
        Budget budget({10, 1000, 2}, 0);
        int count = 0;
        for (int i = 0; i < lines; ++i)
            count += budget.take(std::size_t(bytes), qint64(i) * everyUs) ? 1 : 0;
        QVERIFY2(std::abs(count - taken) <= 1, qPrintable(QString::number(count)));
    }

    void runIds_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("ok");
        QTest::newRow("usual") << QByteArray("20261129-160401-demo") << true;
        QTest::newRow("dots inside") << QByteArray("a.b_c-D") << true;
        QTest::newRow("empty") << QByteArray("") << false;
        QTest::newRow("hidden") << QByteArray(".run") << false;
        QTest::newRow("parent") << QByteArray("..") << false;
        QTest::newRow("path") << QByteArray("a/b") << false;
        QTest::newRow("blank") << QByteArray("a b") << false;
        QTest::newRow("NUL") << QByteArray("a\0b", 3) << false;
        QTest::newRow("long") << QByteArray(129, 'a') << false;
    }
    void runIds()
    {
        QFETCH(QByteArray, text);
        QFETCH(bool, ok);
        QCOMPARE(isRunId({text.constData(), std::size_t(text.size())}), ok);
    }
};

QTEST_APPLESS_MAIN(TestAgentParts)
#include "tst_agentparts.moc"
