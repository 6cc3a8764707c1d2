// SPDX-License-Identifier: GPL-3.0-or-later
// Programs on real hosts over SSH: what they get, what they say, how they end, and every way in which a wait ends.
#include "remote/iothread.h"
#include "remote/sshtransport.h"
#include "tests/remote/argumentrows.h"
#include "tests/support/testcluster.h"

#include <QElapsedTimer>
#include <QTest>

#include <memory>
#include <thread>

using namespace lockstep;
using namespace lockstep::test;
using namespace std::chrono_literals;

namespace {

constexpr auto kLimit = 60s;

QByteArray noise(qsizetype size)
{
    QByteArray bytes(size, '\0');
    quint32 state = 1;
    for (char& byte : bytes)
        byte = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
    return bytes;
}

QByteArray readAll(Process& process, Chunk& last)
{
    QByteArray out;
    for (;;) {
        auto chunk = process.read(Deadline::in(kLimit), {});
        if (!chunk)
            return chunk.error().text.toUtf8();
        out += chunk->out;
        if (chunk->ended) {
            last = *chunk;
            return out;
        }
    }
}

} // namespace

class TestSshTransport : public QObject {
    Q_OBJECT

private slots:
    void endsWith_data();
    void endsWith();
    void passesWords_data();
    void passesWords();
    void refusesWords_data();
    void refusesWords();
    void hidesWhatStartUpFilesPrint();
    void saysWhyTheLoginShellRefuses();
    void waitsForASlowLoginShell();
    void endsWithALoginShellThatPrintsForEver();
    void movesManyBytesBothWays();
    void slowReaderHoldsTheProgramBack();
    void waitEnds_data();
    void waitEnds();
    void losesNothingAtATimeout();
    void endsWhenDropped();
    void runsMoreProgramsThanMaxSessions();
    void connectsOnceForMany();

private:
    IoThread m_io;
    SshTransport m_transport{TestCluster::node("n1"), m_io, TestCluster::settings()};
    QByteArray m_shell; // the login shell of the user dasher, as m_shelled has signed in
    std::unique_ptr<SshTransport> m_shelled;
};

void TestSshTransport::endsWith_data()
{
    QTest::addColumn<QList<QByteArray>>("argv");
    QTest::addColumn<QByteArray>("out");
    QTest::addColumn<QByteArray>("err");
    QTest::addColumn<int>("code");
    QTest::addColumn<QByteArray>("signal");
    using Words = QList<QByteArray>;
    const QByteArray none;
    QTest::newRow("nothing") << Words{"true"} << none << none << 0 << none;
    QTest::newRow("a code") << Words{"sh", "-c", "exit 7"} << none << none << 7 << none;
    QTest::newRow("both streams") << Words{"sh", "-c", "echo o; echo e >&2; exit 3"} << QByteArray("o\n")
                                  << QByteArray("e\n") << 3 << none;
    QTest::newRow("a signal") << Words{"sh", "-c", "kill -KILL $$"} << none << none << -1 << QByteArray("KILL");
    QTest::newRow("no such program") << Words{"/no/such/program"} << none
                                     << QByteArray("sh: 1: exec: /no/such/program: not found\n") << 127 << none;
    QTest::newRow("host name") << Words{"hostname"} << QByteArray("n1\n") << none << 0 << none;
    QTest::newRow("home") << Words{"pwd"} << QByteArray("/home/trainer\n") << none << 0 << none;
}

void TestSshTransport::endsWith()
{
    QFETCH(QList<QByteArray>, argv);
    const auto finished = m_transport.run(argv, {}, Deadline::in(kLimit), {});
    QVERIFY2(finished, qPrintable(finished ? QString() : finished.error().text));
    QTEST(finished->out, "out");
    QTEST(finished->err, "err");
    QTEST(finished->exitCode, "code");
    QTEST(finished->signal, "signal");
}

void TestSshTransport::passesWords_data()
{
    QTest::addColumn<QByteArray>("shell");
    QTest::addColumn<QByteArray>("word");
    for (const char* shell : {"bash", "dash", "zsh", "fish", "tcsh"})
        for (const QByteArray& word : argumentWords())
            QTest::addRow("%s %s", shell, word.left(20).toPercentEncoding().constData()) << QByteArray(shell) << word;
    QTest::newRow("long") << QByteArray("bash") << QByteArray(100'000, 'x');
}

void TestSshTransport::passesWords()
{
    QFETCH(QByteArray, shell);
    QFETCH(QByteArray, word);
    if (m_shell != shell) { // of a sign-in that follows
        const Ran ran =
            TestCluster::exec("n1", "sed -i 's#^\\(dasher:.*:\\).*#\\1/usr/bin/" + shell + "#' /etc/passwd");
        QVERIFY2(ran.exitCode == 0, ran.err);
        m_shell = shell;
        m_shelled = std::make_unique<SshTransport>(TestCluster::node("n1", "dasher"), m_io, TestCluster::settings());
        const auto name = m_shelled->run({"sh", "-c", "echo \"$SHELL\""}, {}, Deadline::in(kLimit), {});
        QVERIFY2(name && name->out.contains("/usr/bin/" + shell), name ? name->out : name.error().text.toUtf8());
    }
    const auto finished = m_shelled->run({"printf", "%s\\0", word, "after"}, {}, Deadline::in(kLimit), {});
    QVERIFY2(finished, qPrintable(finished ? QString() : finished.error().text));
    QCOMPARE(finished->err, QByteArray());
    QCOMPARE(finished->out, word + '\0' + QByteArray("after\0", 6));
}

void TestSshTransport::refusesWords_data()
{
    QTest::addColumn<QList<QByteArray>>("argv");
    QTest::addColumn<QString>("says");
    using Words = QList<QByteArray>;
    QTest::newRow("no program") << Words{} << "no program";
    QTest::newRow("NUL") << Words{"echo", QByteArray("ab\0c", 4)} << "argument 1 for n1 holds a NUL byte";
    QTest::newRow("too long") << Words{"echo", QByteArray(131072, 'x')} << "argument 1 for n1 has 131072 bytes";
    QTest::newRow("too long when written for a shell") << Words{"echo", QByteArray(40000, ' ')} << "Send them as input";
}

void TestSshTransport::refusesWords()
{
    QFETCH(QList<QByteArray>, argv);
    QFETCH(QString, says);
    const auto finished = m_transport.run(argv, {}, Deadline::in(kLimit), {});
    QVERIFY(!finished);
    QCOMPARE(finished.error().code, ErrorCode::BadInput);
    QVERIFY2(finished.error().text.contains(says), qPrintable(finished.error().text));
}

void TestSshTransport::hidesWhatStartUpFilesPrint()
{
    QCOMPARE(TestCluster::exec("n1",
                               "printf 'echo \"Welcome to n1\"; echo oops >&2; printf \"\\033[31mred, no newline\"\n' "
                               "> /home/trainer/.bashrc")
                 .exitCode,
             0);
    const auto finished = m_transport.run({"sh", "-c", "echo o; echo e >&2"}, {}, Deadline::in(kLimit), {});
    QCOMPARE(TestCluster::exec("n1", "rm /home/trainer/.bashrc").exitCode, 0);
    QVERIFY(finished);
    QCOMPARE(finished->out, QByteArray("o\n"));
    QCOMPARE(finished->err, QByteArray("e\n"));
}

void TestSshTransport::saysWhyTheLoginShellRefuses()
{
    QCOMPARE(TestCluster::exec("n1", "printf 'echo maintenance until noon; exit 5\n' > /home/trainer/.bashrc").exitCode,
             0);
    const auto finished = m_transport.run({"true"}, {}, Deadline::in(kLimit), {});
    QCOMPARE(TestCluster::exec("n1", "rm /home/trainer/.bashrc").exitCode, 0);
    QVERIFY(finished);
    QCOMPARE(finished->exitCode, 5);
    QCOMPARE(finished->err, QByteArray("maintenance until noon\n"));
}

void TestSshTransport::waitsForASlowLoginShell()
{
    QCOMPARE(TestCluster::exec("n1", "echo 'sleep 5' > /home/trainer/.bashrc").exitCode, 0);
    const auto finished = m_transport.run({"echo", "slow"}, {}, Deadline::in(kLimit), {});
    QCOMPARE(TestCluster::exec("n1", "rm /home/trainer/.bashrc").exitCode, 0);
    QVERIFY(finished);
    QCOMPARE(finished->out, QByteArray("slow\n"));
}

void TestSshTransport::endsWithALoginShellThatPrintsForEver()
{
    QCOMPARE(TestCluster::exec("n1", "echo 'while :; do echo noise; done' > /home/trainer/.bashrc").exitCode, 0);
    const auto finished = m_transport.run({"true"}, {}, Deadline::in(kLimit), {});
    QCOMPARE(TestCluster::exec("n1", "rm /home/trainer/.bashrc").exitCode, 0);
    QVERIFY(!finished);
    QVERIFY2(finished.error().text.contains("n1 prints without end"), qPrintable(finished.error().text));
    const auto after = m_transport.run({"echo", "well"}, {}, Deadline::in(kLimit), {});
    QVERIFY2(after && after->out == "well\n", after ? after->out : after.error().text.toUtf8());
}

void TestSshTransport::movesManyBytesBothWays()
{
    const QByteArray bytes = noise(40'000'000);
    const auto finished = m_transport.run({"cat"}, bytes, Deadline::in(kLimit), {});
    QVERIFY2(finished, qPrintable(finished ? QString() : finished.error().text));
    QCOMPARE(finished->out.size(), bytes.size());
    QVERIFY(finished->out == bytes);
}

void TestSshTransport::slowReaderHoldsTheProgramBack()
{
    // A program that writes 20 MB as fast as it can, and says how far it is in a file; we do not read.
    auto process = m_transport.start({"sh", "-c",
                                      "i=0; while [ $i -lt 200 ]; do head -c 100000 /dev/zero; i=$((i+1)); echo $i > "
                                      "/tmp/written; done; head -c 100000 /dev/zero >&2"},
                                     Deadline::in(kLimit), {});
    QVERIFY(process);
    // Other programs on the same connection go on meanwhile, and after two equal looks it stands still.
    QByteArray before;
    for (int equal = 0; equal < 20;) {
        const auto written = m_transport.run({"cat", "/tmp/written"}, {}, Deadline::in(kLimit), {});
        QVERIFY(written);
        equal = written->out == before && !before.isEmpty() ? equal + 1 : 0;
        before = written->out;
    }
    QVERIFY2(before.trimmed().toInt() < 100, before.constData()); // 10 MB would be no limit at all
    qsizetype out = 0, err = 0;
    for (;;) {
        const auto chunk = (*process)->read(Deadline::in(kLimit), {});
        QVERIFY(chunk);
        out += chunk->out.size();
        err += chunk->err.size();
        if (chunk->ended)
            break;
    }
    QCOMPARE(out, 20'000'000);
    QCOMPARE(err, 100'000);
}

void TestSshTransport::waitEnds_data()
{
    QTest::addColumn<QString>("by");
    QTest::addColumn<ErrorCode>("code");
    QTest::newRow("deadline") << "deadline" << ErrorCode::Timeout;
    QTest::newRow("stop") << "stop" << ErrorCode::Stopped;
    QTest::newRow("its transport goes") << "end" << ErrorCode::ConnectionLost;
}

void TestSshTransport::waitEnds()
{
    QFETCH(QString, by);
    QFETCH(ErrorCode, code);
    auto transport = std::make_unique<SshTransport>(TestCluster::node("n1"), m_io, TestCluster::settings());
    auto process = transport->start({"cat"}, Deadline::in(kLimit), {});
    QVERIFY(process);
    std::stop_source stop;
    std::jthread other([&] {
        if (by == QLatin1String("stop"))
            stop.request_stop();
        if (by == QLatin1String("end"))
            transport.reset();
    });
    const auto read =
        (*process)->read(by == QLatin1String("deadline") ? Deadline::in(50ms) : Deadline::in(kLimit), stop.get_token());
    QVERIFY(!read);
    QCOMPARE(read.error().code, code);
    QCOMPARE(read.error().node, QStringLiteral("n1"));
}

void TestSshTransport::losesNothingAtATimeout()
{
    auto process = m_transport.start({"sh", "-c", "read x; echo got $x"}, Deadline::in(kLimit), {});
    QVERIFY(process);
    QCOMPARE((*process)->read(Deadline::in(20ms), {}).error().code, ErrorCode::Timeout);
    QVERIFY((*process)->write("it\n", Deadline::in(kLimit), {}));
    Chunk last;
    QCOMPARE(readAll(**process, last), QByteArray("got it\n"));
    QCOMPARE(last.exitCode, 0);
}

void TestSshTransport::endsWhenDropped()
{
    auto process = m_transport.start({"sh", "-c", "echo $$; cat; echo ended > /tmp/ended"}, Deadline::in(kLimit), {});
    QVERIFY(process);
    QVERIFY((*process)->read(Deadline::in(kLimit), {}));
    process->reset();
    QTRY_COMPARE_WITH_TIMEOUT(TestCluster::exec("n1", "cat /tmp/ended").out, QByteArray("ended\n"), 30'000);
    QVERIFY(m_transport.run({"true"}, {}, Deadline::in(kLimit), {}));
}

void TestSshTransport::runsMoreProgramsThanMaxSessions()
{
    TestCluster::configureSshd("n2", "MaxSessions 2");
    SshTransport transport(TestCluster::node("n2"), m_io, TestCluster::settings());
    std::vector<std::unique_ptr<Process>> running;
    for (int i = 0; i < 7; ++i) {
        auto process = transport.start({"cat"}, Deadline::in(kLimit), {});
        QVERIFY2(process, qPrintable(process ? QString() : process.error().text));
        running.push_back(std::move(*process));
    }
    for (const auto& process : running) {
        QVERIFY(process->write("x", Deadline::in(kLimit), {}));
        QVERIFY(process->closeInput());
        Chunk last;
        QCOMPARE(readAll(*process, last), QByteArray("x"));
    }
    TestCluster::configureSshd("n2", "");
}

void TestSshTransport::connectsOnceForMany()
{
    SshTransport transport(TestCluster::node("n1"), m_io, TestCluster::settings());
    std::vector<QByteArray> peers(6);
    {
        std::vector<std::jthread> threads;
        for (QByteArray& peer : peers)
            threads.emplace_back([&] {
                if (auto ran = transport.run({"printenv", "SSH_CONNECTION"}, {}, Deadline::in(kLimit), {}))
                    peer = ran->out;
            });
    }
    QVERIFY(!peers.front().isEmpty());
    for (const QByteArray& peer : peers)
        QCOMPARE(peer, peers.front());
    auto bulk = transport.start({"printenv", "SSH_CONNECTION"}, Deadline::in(kLimit), {}, Lane::Bulk);
    QVERIFY(bulk);
    Chunk last;
    QVERIFY(readAll(**bulk, last) != peers.front());
}

LOCKSTEP_CLUSTER_MAIN(TestSshTransport, 2)
#include "tst_sshtransport.moc"
