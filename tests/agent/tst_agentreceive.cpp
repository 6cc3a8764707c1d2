// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/agent/agentbox.h"

#include <QDir>
#include <QFile>
#include <QTest>

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

#include <random>
#include <unistd.h>

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

QByteArray noise(qsizetype bytes)
{
    QByteArray content(bytes, '\0');
    std::minstd_rand random(7);
    for (char& c : content)
        c = static_cast<char>(random() >> 8);
    return content;
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

    // A frame of noise is as long as its content, and long enough to be kept.
    void aCutContentGoesOnWithItsNextByte()
    {
        AgentBox box;
        const QByteArray content = noise(1'000'000), frame = compressed(content);
        const QByteArray manifest = bundleRecord("abc123", 1) + fileRecord("a", content) + "end - 0\n";
        const QByteArray whole = contentRecord(content);
        for (const qsizetype there : {qsizetype(1), frame.size() / 2, frame.size() - 1}) {
            const AgentAnswer cut =
                box.verb({"receive", "abc123"}, manifest + whole.left(whole.size() - frame.size() + there));
            QCOMPARE(cut.exitCode, 1);
            const AgentAnswer asked = box.verb({"missing", "abc123"}, manifest);
            const AgentRecord need = ofKind(asked.records, "need").value(0);
            QCOMPARE(need["have"].toLongLong(), there);
            QCOMPARE(need["prefix"], hashOf(frame.left(there)));
        }
        const auto rest = [&](qsizetype from) {
            return "content - 0 hash=" + hashOf(content) + " bytes=" + QByteArray::number(frame.size()) +
                   " from=" + QByteArray::number(from) + "\n" + frame.mid(from) + "end - 0\n";
        };
        const AgentAnswer more = box.verb({"receive", "abc123"}, manifest + rest(frame.size() - 1));
        QCOMPARE(more.last().kind, QByteArray("done"));
        QCOMPARE(AgentBox::contentOf(box.path("cache/bundles/abc123/a")), content);
        QCOMPARE(QDir(box.path("cache/contents")).entryList(QDir::Files).size(), 1);
    }

    void whatWasKeptWrongIsSentAgain()
    {
        AgentBox box;
        const QByteArray content = noise(1'000'000), frame = compressed(content);
        const QByteArray manifest = bundleRecord("abc123", 1) + fileRecord("a", content) + "end - 0\n";
        const QByteArray head = "content - 0 hash=" + hashOf(content) + " bytes=" + QByteArray::number(frame.size());
        QByteArray wrong = frame.left(500'000);
        wrong[300'000] = static_cast<char>(wrong[300'000] ^ 1); // a power cut, after which the disk has other bytes
        QCOMPARE(box.verb({"receive", "abc123"}, manifest + head + " from=0\n" + wrong).exitCode, 1);
        const AgentAnswer refused =
            box.verb({"receive", "abc123"}, manifest + head + " from=500000\n" + frame.mid(500'000) + "end - 0\n");
        QCOMPARE(refused.exitCode, 1);
        QVERIFY(QDir(box.path("cache/contents")).entryList(QDir::Files).isEmpty()); // it does not stand in the way
        const AgentAnswer again = box.verb({"receive", "abc123"}, manifest + contentRecord(content) + "end - 0\n");
        QCOMPARE(again.last().kind, QByteArray("done"));
    }

    void aDiskWithoutRoomIsSaidBefore_data()
    {
        QTest::addColumn<QByteArray>("options"); // of the tmpfs that the cache lies on
        QTest::addColumn<QByteArray>("words");
        QTest::newRow("no bytes") << QByteArray("size=20m") << QByteArray("MB free and");
        QTest::newRow("no inodes") << QByteArray("size=400m,nr_inodes=20") << QByteArray("more files and");
        QTest::newRow("read-only") << QByteArray("ro") << QByteArray("Read-only file system");
    }
    void aDiskWithoutRoomIsSaidBefore()
    {
        QFETCH(QByteArray, options);
        QFETCH(QByteArray, words);
        AgentBox box;
        QDir().mkpath(box.path("cache"));
        // The manifest alone: nothing is asked for that there is no room for.
        QByteArray manifest = bundleRecord("abc123", 1);
        for (int i = 0; i < 8; ++i)
            manifest += "file - 0 path=f" + QByteArray::number(i) + " hash=" + hashOf(QByteArray::number(i)) +
                        " size=5000000 mode=644\n";
        QStringList command{"-m"};
        if (::geteuid() != 0)
            command += {"-U", "-r"};
        command += {"sh",
                    "-c",
                    "mount -t tmpfs -o \"$1\" none \"$2\" && shift 2 && exec \"$@\"",
                    "sh",
                    QString::fromLatin1(options),
                    box.path("cache"),
                    QStringLiteral(LOCKSTEP_BIN_DIR "/lockstep-agent"),
                    "receive",
                    "abc123"};
        QProcess agent;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("LOCKSTEP_CACHE_DIR", box.path("cache"));
        agent.setProcessEnvironment(environment);
        agent.start("unshare", command);
        agent.write(manifest + "end - 0\n");
        agent.closeWriteChannel();
        QVERIFY(agent.waitForFinished(kWaitMs));
        const QList<AgentRecord> records = recordsOf(agent.readAllStandardOutput());
        QVERIFY2(!records.isEmpty(), agent.readAllStandardError().constData());
        QCOMPARE(records.last().kind, QByteArray("error"));
        QVERIFY2(records.last()["text"].contains(words), records.last()["text"].constData());
        QVERIFY(ofKind(records, "need").isEmpty());
    }

    // The old agent's link is cut, it does not know yet: the same desktop comes back and is served at once.
    void theSameSenderTakesOver()
    {
        AgentBox box;
        const QByteArray manifest =
            "bundle - 0 hash=abc123 files=1 sender=5eed\n" + fileRecord("a", m_text) + "end - 0\n";
        const auto first = box.start({"receive", "abc123"});
        first->write(manifest);
        QByteArray said;
        QTRY_VERIFY_WITH_TIMEOUT(
            (first->waitForReadyRead(10), said += first->readAllStandardOutput()).contains("end - "), kWaitMs);
        const AgentAnswer second = box.verb({"receive", "abc123"}, manifest + contentRecord(m_text) + "end - 0\n");
        QCOMPARE(second.last().kind, QByteArray("done"));
        QVERIFY(first->waitForFinished(kWaitMs));
        QCOMPARE(first->exitStatus(), QProcess::CrashExit); // it was ended by TERM
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
