// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/agent/agentbox.h"

#include <QDir>
#include <QFile>
#include <QTest>

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

namespace {

constexpr int kWaitMs = 60'000;

QByteArray hashOf(const QByteArray& bytes)
{
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.constData(), std::size_t(bytes.size())));
    return QByteArray(reinterpret_cast<const char*>(canonical.digest), sizeof canonical.digest).toHex();
}

QByteArray compressed(const QByteArray& bytes)
{
    QByteArray frame(qsizetype(ZSTD_compressBound(std::size_t(bytes.size()))), '\0');
    frame.resize(qsizetype(
        ZSTD_compress(frame.data(), std::size_t(frame.size()), bytes.constData(), std::size_t(bytes.size()), 3)));
    return frame;
}

QByteArray fileRecord(const QByteArray& path, const QByteArray& content, const QByteArray& mode = "644")
{
    return "file - 0 path=" + path + " hash=" + hashOf(content) + " size=" + QByteArray::number(content.size()) +
           " mode=" + mode + "\n";
}

QByteArray contentRecord(const QByteArray& content)
{
    const QByteArray frame = compressed(content);
    return "content - 0 hash=" + hashOf(content) + " bytes=" + QByteArray::number(frame.size()) + "\n" + frame;
}

QByteArray bundleRecord(const QByteArray& hash, int files)
{
    return "bundle - 0 hash=" + hash + " files=" + QByteArray::number(files) + "\n";
}

QByteArrayList needs(const AgentAnswer& answer)
{
    QByteArrayList hashes;
    for (const AgentRecord& record : ofKind(answer.records, "need"))
        hashes += record["hash"];
    return hashes;
}

} // namespace

class TestReceive : public QObject {
    Q_OBJECT

    const QByteArray m_program = QByteArray("#!/bin/sh\nexit 0\n") + QByteArray(300'000, '\n');
    const QByteArray m_text = "some data";

private slots:
    void onlyWhatIsMissingIsAskedFor()
    {
        AgentBox box;
        const QByteArray first = bundleRecord("abc123", 3) + fileRecord("bin/run", m_program, "755") +
                                 fileRecord("data", m_text) + fileRecord("deep/er/copy", m_text) +
                                 fileRecord("empty", "") + "end - 0\n";
        const AgentAnswer received =
            box.verb({"receive", "abc123"},
                     first + contentRecord(m_program) + contentRecord(m_text) + contentRecord("") + "end - 0\n");
        QCOMPARE(received.last().kind, QByteArray("done"));
        QCOMPARE(received.exitCode, 0);
        QCOMPARE(needs(received), QByteArrayList({hashOf(m_program), hashOf(m_text), hashOf("")}));
        const QString folder = QString::fromUtf8(received.last()["path"]);
        QCOMPARE(folder, box.path("cache/bundles/abc123"));
        QCOMPARE(AgentBox::contentOf(folder + "/bin/run"), m_program);
        QCOMPARE(AgentBox::contentOf(folder + "/deep/er/copy"), m_text);
        QVERIFY(QFileInfo(folder + "/bin/run").isExecutable());
        QVERIFY(!QFileInfo(folder + "/data").isExecutable());
        QVERIFY(QFile::exists(folder + "/empty"));

        const AgentAnswer again = box.verb({"receive", "abc123"}, first + "end - 0\n");
        QCOMPARE(again.last().kind, QByteArray("done"));
        QVERIFY(needs(again).isEmpty());

        const QByteArray next = bundleRecord("abc124", 2) + fileRecord("bin/run", m_program, "755") +
                                fileRecord("data", "new") + "end - 0\n";
        const AgentAnswer changed = box.verb({"receive", "abc124"}, next + contentRecord("new") + "end - 0\n");
        QCOMPARE(needs(changed), QByteArrayList({hashOf("new")}));
        QCOMPARE(AgentBox::contentOf(box.path("cache/bundles/abc124/data")), QByteArray("new"));
    }

    void oneContentInBothModes()
    {
        AgentBox box;
        const QByteArray manifest =
            bundleRecord("abcdef", 2) + fileRecord("a", m_text, "644") + fileRecord("b", m_text, "755") + "end - 0\n";
        const AgentAnswer received = box.verb({"receive", "abcdef"}, manifest + contentRecord(m_text) + "end - 0\n");
        QCOMPARE(received.last().kind, QByteArray("done"));
        QVERIFY(!QFileInfo(box.path("cache/bundles/abcdef/a")).isExecutable());
        QVERIFY(QFileInfo(box.path("cache/bundles/abcdef/b")).isExecutable());
    }

    void aCutTransferKeepsWhatItFinished()
    {
        AgentBox box;
        const QByteArray manifest =
            bundleRecord("abc123", 2) + fileRecord("a", m_text) + fileRecord("b", m_program) + "end - 0\n";
        const QByteArray second = contentRecord(m_program);
        const AgentAnswer cut =
            box.verb({"receive", "abc123"}, manifest + contentRecord(m_text) + second.left(second.size() - 5));
        QCOMPARE(cut.exitCode, 1);
        QCOMPARE(cut.last()["code"], QByteArray("protocol"));
        QVERIFY(!QFile::exists(box.path("cache/bundles/abc123")));
        const AgentAnswer resumed = box.verb({"receive", "abc123"}, manifest + second + "end - 0\n");
        QCOMPARE(needs(resumed), QByteArrayList({hashOf(m_program)}));
        QCOMPARE(resumed.last().kind, QByteArray("done"));
        QCOMPARE(QDir(box.path("cache/contents")).entryList(QDir::Files).size(), 2); // no half one is left
    }

    void aBundleThatIsNotWholeIsMadeAgain()
    {
        AgentBox box;
        const QByteArray manifest = bundleRecord("abc123", 1) + fileRecord("a", m_text) + "end - 0\n";
        QCOMPARE(box.verb({"receive", "abc123"}, manifest + contentRecord(m_text) + "end - 0\n").exitCode, 0);
        QVERIFY(QFile::remove(box.path("cache/bundles/abc123/a")));
        QCOMPARE(box.verb({"receive", "abc123"}, manifest + "end - 0\n").exitCode, 0);
        QCOMPARE(AgentBox::contentOf(box.path("cache/bundles/abc123/a")), m_text);
    }

    void refused_data()
    {
        QTest::addColumn<QByteArray>("input");
        QTest::addColumn<QByteArray>("words");
        const auto manifest = [&](const QByteArray& files) { return bundleRecord("abc123", 1) + files + "end - 0\n"; };
        const auto path = [&](const QByteArray& name) {
            return manifest(fileRecord(name, m_text)) + contentRecord(m_text) + "end - 0\n";
        };
        QTest::newRow("climbs out") << path("../x") << QByteArray("can't be");
        QTest::newRow("climbs out in the middle") << path("a/../../x") << QByteArray("can't be");
        QTest::newRow("absolute") << path("/etc/x") << QByteArray("can't be");
        QTest::newRow("empty path") << path("") << QByteArray("can't be");
        QTest::newRow("double slash") << path("a//b") << QByteArray("can't be");
        QTest::newRow("NUL") << path("a\\x00b") << QByteArray("can't be");
        QTest::newRow("hash that climbs")
            << manifest("file - 0 path=a hash=../../x size=1 mode=644\n") << QByteArray("can't be");
        QTest::newRow("negative size") << manifest("file - 0 path=a hash=" + hashOf("a") + " size=-1 mode=644\n")
                                       << QByteArray("can't be");
        QTest::newRow("another bundle") << bundleRecord("def456", 0) + "end - 0\n" << QByteArray("not abc123");
        QTest::newRow("wrong bytes") << manifest(fileRecord("a", m_text)) + "content - 0 hash=" + hashOf(m_text) +
                                            " bytes=" + QByteArray::number(compressed("some dada").size()) + "\n" +
                                            compressed("some dada") + "end - 0\n"
                                     << QByteArray("has the hash");
        QTest::newRow("unfolds beyond its size")
            << manifest(fileRecord("a", m_text)) + "content - 0 hash=" + hashOf(m_text) +
                   " bytes=" + QByteArray::number(compressed(QByteArray(50'000'000, 'x')).size()) + "\n" +
                   compressed(QByteArray(50'000'000, 'x')) + "end - 0\n"
            << QByteArray("is longer than its 9 bytes");
        QTest::newRow("no frame") << manifest(fileRecord("a", m_text)) + "content - 0 hash=" + hashOf(m_text) +
                                         " bytes=9\nsome dataend - 0\n"
                                  << QByteArray("is no zstd frame");
        QTest::newRow("another content") << manifest(fileRecord("a", m_text)) + contentRecord("other")
                                         << QByteArray("expected the content");
        QTest::newRow("text") << QByteArray("Welcome to gpu1!\n") << QByteArray("is no record");
    }
    void refused()
    {
        QFETCH(QByteArray, input);
        QFETCH(QByteArray, words);
        AgentBox box;
        const AgentAnswer answer = box.verb({"receive", "abc123"}, input);
        QCOMPARE(answer.exitCode, 1);
        QVERIFY2(answer.last()["text"].contains(words), answer.last()["text"].constData());
        QVERIFY(!QFile::exists(box.path("cache/bundles/abc123")));
        QVERIFY(QDir(box.path("cache/contents")).entryList(QDir::Files).isEmpty());
    }

    void twoNodesOfOneHomeFillItOnce()
    {
        AgentBox box;
        const QByteArray manifest = bundleRecord("abc123", 1) + fileRecord("a", m_text) + "end - 0\n";
        const auto first = box.start({"receive", "abc123"});
        first->write(manifest);
        QByteArray said;
        QTRY_VERIFY_WITH_TIMEOUT(
            (first->waitForReadyRead(10), said += first->readAllStandardOutput()).contains("end - "), kWaitMs);
        const auto second = box.start({"receive", "abc123"});
        second->write(manifest);
        QByteArray other;
        QTRY_VERIFY_WITH_TIMEOUT(
            (second->waitForReadyRead(10), other += second->readAllStandardOutput()).contains("waiting - "), kWaitMs);
        first->write(contentRecord(m_text) + "end - 0\n");
        QVERIFY(first->waitForFinished(kWaitMs));
        QCOMPARE(first->exitCode(), 0);
        second->write("end - 0\n");
        QVERIFY(second->waitForFinished(kWaitMs));
        other += second->readAllStandardOutput();
        QVERIFY(!other.contains("need - ") && other.contains("done - "));
    }
};

QTEST_GUILESS_MAIN(TestReceive)
#include "tst_agentreceive.moc"
