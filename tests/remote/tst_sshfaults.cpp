// SPDX-License-Identifier: GPL-3.0-or-later
// Links that break and hosts that do not answer: said in time, and nobody else is held up.
#include "remote/iothread.h"
#include "remote/sshtransport.h"
#include "tests/support/testcluster.h"

#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <thread>

using namespace lockstep;
using namespace lockstep::test;
using namespace std::chrono_literals;

namespace {

constexpr auto kLimit = 60s;
constexpr qint64 kNoticedMs = 30'000; // keep-alive notices after 5 s; the rest is for a busy machine

} // namespace

class TestSshFaults : public QObject {
    Q_OBJECT

private slots:
    void aBlackHoleHoldsNobodyUp();
    void connectingEnds_data();
    void connectingEnds();
    void namesWhatIsWrong_data();
    void namesWhatIsWrong();
    void aDeadFirstAddressIsPassedBy();
    void aCutLinkIsNoticed();
    void anUploadIntoACutLinkEnds();
    void connectsBesideTheDeadConnection();
    void keepsAConnectionThatIsHeardAgain();
    void survivesAnSshdThatHangsUp();
    void goesThroughAJumpHost();
    void aJumpHostThatDiesIsNoticed();
    void aCrashedHostIsNoticed();

private:
    IoThread m_io;
};

void TestSshFaults::aBlackHoleHoldsNobodyUp()
{
    TestCluster::cut("n1");
    std::atomic<int> answered = 0;
    Result<void> dead;
    qint64 deadMs = 0, othersMs = 0;
    QElapsedTimer clock;
    clock.start();
    {
        std::vector<std::jthread> threads;
        threads.emplace_back([&] {
            SshTransport transport(TestCluster::node("n1"), m_io, TestCluster::settings());
            dead = transport.connect(Deadline::in(kLimit), {});
            deadMs = clock.elapsed();
        });
        std::vector<std::jthread> others;
        for (const char* host : {"n2", "n3", "n2", "n3"})
            others.emplace_back([&, host] {
                SshTransport transport(TestCluster::node(host), m_io, TestCluster::settings());
                if (auto ran = transport.run({"hostname"}, {}, Deadline::in(kLimit), {});
                    ran && ran->out.trimmed() == host)
                    ++answered;
            });
        others.clear();
        othersMs = clock.elapsed();
    }
    TestCluster::heal("n1");
    QCOMPARE(answered, 4);
    QVERIFY(!dead);
    QCOMPARE(dead.error().code, ErrorCode::Unreachable);
    QCOMPARE(dead.error().node, QStringLiteral("n1"));
    QVERIFY2(dead.error().text.contains("10.77.1.1 port 22"), qPrintable(dead.error().text));
    QVERIFY2(deadMs < kNoticedMs, QByteArray::number(deadMs)); // 8 s and what a busy machine adds
    QVERIFY2(othersMs < deadMs, QByteArray::number(othersMs));
}

void TestSshFaults::connectingEnds_data()
{
    QTest::addColumn<QString>("by");
    QTest::addColumn<ErrorCode>("code");
    QTest::newRow("deadline") << "deadline" << ErrorCode::Unreachable;
    QTest::newRow("stop") << "stop" << ErrorCode::Stopped;
}

void TestSshFaults::connectingEnds()
{
    QFETCH(QString, by);
    QFETCH(ErrorCode, code);
    TestCluster::cut("n1");
    SshTransport transport(TestCluster::node("n1"), m_io, TestCluster::settings());
    std::stop_source stop;
    std::jthread other([&] {
        if (by == QLatin1String("stop"))
            stop.request_stop();
    });
    const auto ended = transport.connect(Deadline::in(by == QLatin1String("deadline") ? 700ms : 30s), stop.get_token());
    stop.request_stop();
    TestCluster::heal("n1");
    QVERIFY(!ended);
    QCOMPARE(ended.error().code, code);
}

void TestSshFaults::namesWhatIsWrong_data()
{
    QTest::addColumn<QString>("host");
    QTest::addColumn<int>("port");
    QTest::addColumn<QString>("says");
    QTest::newRow("nothing listens") << "10.77.1.2" << 2222 << "connection refused";
    QTest::newRow("no such name") << "no-such-host.invalid" << 22 << "no address for this name";
}

void TestSshFaults::namesWhatIsWrong()
{
    QFETCH(QString, host);
    QFETCH(int, port);
    QFETCH(QString, says);
    Node node = TestCluster::node("gpu1");
    node.address.host = host;
    node.address.port = port;
    SshTransport transport(node, m_io, TestCluster::settings());
    const auto ended = transport.connect(Deadline::in(kLimit), {});
    QVERIFY(!ended);
    QCOMPARE(ended.error().code, ErrorCode::Unreachable);
    QCOMPARE(ended.error().node, QStringLiteral("gpu1"));
    QVERIFY2(ended.error().text.contains(says), qPrintable(ended.error().text));
}

void TestSshFaults::aDeadFirstAddressIsPassedBy()
{
    // half-dead: an IPv6 address that nobody has, and the IPv4 address of n1.
    QTemporaryDir folder;
    QFile config(folder.filePath("config")), original(TestCluster::file("ssh_config"));
    QVERIFY(config.open(QIODevice::WriteOnly) && original.open(QIODevice::ReadOnly));
    config.write("Host half-dead\n HostKeyAlias n1\n" + original.readAll());
    config.close();
    SshSettings settings;
    settings.configFile = config.fileName();
    SshTransport transport(TestCluster::node("half-dead"), m_io, settings);
    const auto connected = transport.connect(Deadline::in(kLimit), {});
    QVERIFY2(connected, qPrintable(connected ? QString() : connected.error().text));
}

void TestSshFaults::aCutLinkIsNoticed()
{
    SshTransport transport(TestCluster::node("n1"), m_io, TestCluster::settings());
    auto process = transport.start({"sh", "-c", "echo here; exec cat"}, Deadline::in(kLimit), {});
    QVERIFY(process);
    QVERIFY((*process)->read(Deadline::in(kLimit), {}));
    TestCluster::cut("n1");
    QElapsedTimer clock;
    clock.start();
    const auto read = (*process)->read(Deadline::in(kLimit), {});
    const qint64 noticed = clock.elapsed();
    TestCluster::heal("n1");
    QVERIFY(!read);
    QCOMPARE(read.error().code, ErrorCode::ConnectionLost);
    QVERIFY2(noticed < kNoticedMs, QByteArray::number(noticed));
    qInfo("noticed after %lld ms", static_cast<long long>(noticed));
    // The next call makes a new connection.
    const auto ran = transport.run({"hostname"}, {}, Deadline::in(kLimit), {});
    QVERIFY2(ran, qPrintable(ran ? QString() : ran.error().text));
}

void TestSshFaults::anUploadIntoACutLinkEnds()
{
    SshTransport transport(TestCluster::node("n2"), m_io, TestCluster::settings());
    SshTransport beside(TestCluster::node("n3"), m_io, TestCluster::settings());
    auto process = transport.start({"sh", "-c", "cat > /dev/null"}, Deadline::in(kLimit), {}, Lane::Bulk);
    QVERIFY(process);
    const QByteArray piece(4'000'000, 'x');
    QVERIFY((*process)->write(piece, Deadline::in(kLimit), {}));
    TestCluster::cut("n2");
    QElapsedTimer clock;
    clock.start();
    Result<void> written;
    while (written) {
        written = (*process)->write(piece, Deadline::in(kLimit), {});
        // The other node is served all the while.
        QVERIFY(beside.run({"true"}, {}, Deadline::in(20s), {}));
    }
    const qint64 noticed = clock.elapsed();
    TestCluster::heal("n2");
    QCOMPARE(written.error().code, ErrorCode::ConnectionLost);
    QVERIFY2(noticed < kNoticedMs, QByteArray::number(noticed));
}

void TestSshFaults::connectsBesideTheDeadConnection()
{
    SshTransport transport(TestCluster::node("n1"), m_io, TestCluster::settings());
    auto process = transport.start({"cat"}, Deadline::in(kLimit), {});
    QVERIFY(process);
    QCOMPARE(TestCluster::exec("n1", "pkill -STOP -u trainer sshd").exitCode, 0); // this connection, not the server
    QTest::qWait(1200); // one that was heard within a second is trusted
    const auto ran = transport.run({"hostname"}, {}, Deadline::in(kLimit), {});
    QVERIFY2(ran, qPrintable(ran ? QString() : ran.error().text));
    QCOMPARE((*process)->read(Deadline::in(kLimit), {}).error().code, ErrorCode::ConnectionLost);
    QCOMPARE(TestCluster::exec("n1", "pkill -CONT -u trainer sshd").exitCode, 0);
}

void TestSshFaults::keepsAConnectionThatIsHeardAgain()
{
    SshTransport transport(TestCluster::node("n1"), m_io, TestCluster::settings());
    auto process = transport.start({"cat"}, Deadline::in(kLimit), {});
    QVERIFY(process);
    TestCluster::fault("freeze", "n1");
    QTest::qWait(1200);
    QVERIFY(!transport.connect(Deadline::in(3s), {}));
    TestCluster::fault("thaw", "n1");
    const auto connected = transport.connect(Deadline::in(kLimit), {});
    QVERIFY2(connected, qPrintable(connected ? QString() : connected.error().text));
    QVERIFY((*process)->write("still here", Deadline::in(kLimit), {}));
    const auto read = (*process)->read(Deadline::in(kLimit), {});
    QVERIFY2(read, qPrintable(read ? QString() : read.error().text));
    QCOMPARE(read->out, QByteArray("still here"));
}

void TestSshFaults::survivesAnSshdThatHangsUp()
{
    // Drops most connections that have not signed in, as one with many clients does.
    TestCluster::configureSshd("n2", "MaxStartups 2:70:3");
    std::atomic<int> answered = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 12; ++i)
            threads.emplace_back([&] {
                SshTransport transport(TestCluster::node("n2"), m_io, TestCluster::settings());
                if (transport.run({"true"}, {}, Deadline::in(kLimit), {}))
                    ++answered;
            });
    }
    TestCluster::configureSshd("n2", "");
    QCOMPARE(answered, 12);
}

void TestSshFaults::goesThroughAJumpHost()
{
    TestCluster::configureSshd("n1", "MaxSessions 1");
    Node node = TestCluster::node("n3");
    node.jump = {"n1", "n2"};
    SshTransport transport(node, m_io, TestCluster::settings());
    const auto ran = transport.run({"sh", "-c", "hostname; echo $SSH_CONNECTION"}, {}, Deadline::in(kLimit), {});
    QVERIFY2(ran, qPrintable(ran ? QString() : ran.error().text));
    QVERIFY2(ran->out.startsWith("n3\n10.77.1.2 "), ran->out.constData()); // comes from the last jump host

    QByteArray bytes(20'000'000, '\0');
    for (qsizetype i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<char>(i * 7 + (i >> 9));
    const auto echoed = transport.run({"cat"}, bytes, Deadline::in(kLimit), {});
    QVERIFY2(echoed, qPrintable(echoed ? QString() : echoed.error().text));
    QVERIFY(echoed->out == bytes);
    TestCluster::configureSshd("n1", "");
}

void TestSshFaults::aJumpHostThatDiesIsNoticed()
{
    Node node = TestCluster::node("n3");
    node.jump = {"n2"};
    SshTransport transport(node, m_io, TestCluster::settings());
    auto process = transport.start({"cat"}, Deadline::in(kLimit), {});
    QVERIFY2(process, qPrintable(process ? QString() : process.error().text));
    TestCluster::cut("n2");
    const auto read = (*process)->read(Deadline::in(kLimit), {});
    TestCluster::heal("n2");
    QVERIFY(!read);
    QCOMPARE(read.error().code, ErrorCode::ConnectionLost);

    node.jump = {"nobody@n2"};
    SshTransport refused(node, m_io, TestCluster::settings());
    const auto connected = refused.connect(Deadline::in(kLimit), {});
    QVERIFY(!connected);
    QCOMPARE(connected.error().code, ErrorCode::AuthFailed);
    QVERIFY2(
        connected.error().text.contains("n3 cannot be reached: jump host nobody@n2 did not let nobody@10.77.1.2 in"),
        qPrintable(connected.error().text));
}

void TestSshFaults::aCrashedHostIsNoticed()
{
    SshTransport transport(TestCluster::node("n3"), m_io, TestCluster::settings());
    auto process = transport.start({"cat"}, Deadline::in(kLimit), {});
    QVERIFY(process);
    TestCluster::crash("n3");
    const auto read = (*process)->read(Deadline::in(kLimit), {});
    QVERIFY(!read);
    QCOMPARE(read.error().code, ErrorCode::ConnectionLost);
}

LOCKSTEP_CLUSTER_MAIN(TestSshFaults, 3)
#include "tst_sshfaults.moc"
