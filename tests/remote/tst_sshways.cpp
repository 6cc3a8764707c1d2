// SPDX-License-Identifier: GPL-3.0-or-later
// The ways to a node: many behind one address, many behind one jump host, a ProxyCommand, a name that takes its time,
// two ports of one address, a key that is added unasked.
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

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TestSshWays : public QObject {
    Q_OBJECT

private slots:
    void manyBehindOneAddress_data();
    void manyBehindOneAddress();
    void manyBehindOneJumpHost();
    void aSilentJumpSessionIsPassedBy();
    void jumpsAsConfigured();
    void proxyCommand_data();
    void proxyCommand();
    void aSlowNameHoldsNobodyUp();
    void twoPortsAreTwoNodes();
    void addsNewKeysWhereToldSo_data();
    void addsNewKeysWhereToldSo();

private:
    SshSettings settings(const QByteArray& first)
    {
        QFile config(m_folder.filePath("config"));
        if (!config.open(QIODevice::WriteOnly) || config.write(first + contentOf(TestCluster::file("ssh_config"))) < 0)
            qFatal("%s", qPrintable(config.errorString()));
        config.close();
        SshSettings made;
        made.configFile = config.fileName();
        return made;
    }
    QTemporaryDir m_folder;
};

void TestSshWays::manyBehindOneAddress_data()
{
    QTest::addColumn<int>("count");
    QTest::newRow("64") << 64;
    QTest::newRow("200") << 200;
}

void TestSshWays::manyBehindOneAddress()
{
    QFETCH(int, count);
    IoThread io; // default MaxStartups, all at once
    std::atomic<int> answered = 0;
    std::vector<QString> errors(static_cast<std::size_t>(count));
    {
        std::vector<std::unique_ptr<SshTransport>> nodes;
        std::vector<std::jthread> threads;
        for (int i = 0; i < count; ++i)
            nodes.push_back(std::make_unique<SshTransport>(TestCluster::node("n2"), io, TestCluster::settings()));
        for (int i = 0; i < count; ++i)
            threads.emplace_back([&, i] {
                const auto connected = nodes[static_cast<std::size_t>(i)]->connect(Deadline::in(kLimit), {});
                answered += connected ? 1 : 0;
                if (!connected)
                    errors[static_cast<std::size_t>(i)] = connected.error().text;
            });
    }
    for (const QString& error : errors)
        QVERIFY2(error.isEmpty(), qPrintable(error));
    QCOMPARE(answered, count);
}

void TestSshWays::manyBehindOneJumpHost()
{
    constexpr int kTargets = 64;
    TestCluster::configureSshd("n1", "MaxSessions 1\nMaxStartups 10:30:100");
    IoThread io;
    std::atomic<int> answered = 0;
    std::vector<std::unique_ptr<SshTransport>> nodes;
    for (int i = 0; i < kTargets; ++i) {
        Node node = TestCluster::node(i % 2 == 0 ? "n2" : "n3");
        node.jump = {"n1"};
        nodes.push_back(std::make_unique<SshTransport>(node, io, TestCluster::settings()));
    }
    {
        std::vector<std::jthread> threads;
        for (const auto& node : nodes)
            threads.emplace_back([&answered, &node] {
                const auto ran = node->run({"sh", "-c", "echo $SSH_CONNECTION"}, {}, Deadline::in(kLimit), {});
                answered += ran && ran->out.startsWith("10.77.1.1 ") ? 1 : 0;
            });
    }
    QCOMPARE(answered, kTargets);
    // One session there carries them all.
    QCOMPARE(TestCluster::exec("n1", "ss -Htn state established sport = :22 | wc -l").out.trimmed(), QByteArray("1"));
    // With the last of them it goes.
    nodes.clear();
    QTRY_COMPARE_WITH_TIMEOUT(TestCluster::exec("n1", "ss -Htn state established sport = :22 | wc -l").out.trimmed(),
                              QByteArray("0"), 30'000);
    TestCluster::configureSshd("n1", "");
}

void TestSshWays::aSilentJumpSessionIsPassedBy()
{
    IoThread io;
    Node first = TestCluster::node("n2"), second = TestCluster::node("n3");
    first.jump = second.jump = {"n1"};
    SshTransport before(first, io, TestCluster::settings());
    QVERIFY(before.connect(Deadline::in(kLimit), {}));
    TestCluster::cut("n1");
    QElapsedTimer clock;
    clock.start();
    QTRY_VERIFY_WITH_TIMEOUT(clock.elapsed() > 1100, 30'000); // silent for longer than a moment
    Result<void> connected;
    {
        std::jthread waiting([&] {
            SshTransport transport(second, io, TestCluster::settings());
            connected = transport.connect(Deadline::in(kLimit), {});
        });
        QTRY_VERIFY_WITH_TIMEOUT(clock.elapsed() > 3000, 30'000);
        TestCluster::heal("n1");
    }
    QVERIFY2(connected, qPrintable(connected ? QString() : connected.error().text));
    // And one that was only idle is used as it is.
    QTRY_VERIFY_WITH_TIMEOUT(clock.elapsed() > 9000, 30'000);
    SshTransport again(second, io, TestCluster::settings()), beside(first, io, TestCluster::settings());
    QVERIFY(again.connect(Deadline::in(kLimit), {}));
    clock.start();
    QTRY_VERIFY_WITH_TIMEOUT(clock.elapsed() > 1100, 30'000);
    const QByteArray sessions("ss -Htn state established sport = :22 | wc -l");
    const QByteArray count = TestCluster::exec("n1", sessions).out;
    QVERIFY(beside.connect(Deadline::in(kLimit), {}));
    QCOMPARE(TestCluster::exec("n1", sessions).out, count);
}

void TestSshWays::jumpsAsConfigured()
{
    IoThread io;
    const SshSettings chain = settings("Host far\n HostName 10.77.1.3\n HostKeyAlias n3\n ProxyJump %r@n1,n2\n");
    SshTransport transport(TestCluster::node("far"), io, chain);
    const auto ran = transport.run({"sh", "-c", "echo $SSH_CONNECTION"}, {}, Deadline::in(kLimit), {});
    QVERIFY2(ran, qPrintable(ran ? QString() : ran.error().text));
    QVERIFY2(ran->out.startsWith("10.77.1.2 "), ran->out.constData());

    // Each hop is named by what went wrong there.
    SshTransport dead(TestCluster::node("far"), io, settings("Host far\n ProxyJump %r@n1,n2\nHost n2\n Port 2222\n"));
    const auto refused = dead.connect(Deadline::in(kLimit), {});
    QVERIFY(!refused);
    QVERIFY2(refused.error().text.contains("far cannot be reached") &&
                 refused.error().text.contains("jump host trainer@n1 cannot connect to 10.77.1.2 port 2222"),
             qPrintable(refused.error().text));
    // Jump hosts that name each other end.
    SshTransport loop(TestCluster::node("a"), io, settings("Host a\n ProxyJump b\nHost b\n ProxyJump a\n"));
    const auto ended = loop.connect(Deadline::in(kLimit), {});
    QVERIFY(!ended);
    QVERIFY2(ended.error().text.contains("they may name each other"), qPrintable(ended.error().text));
}

void TestSshWays::proxyCommand_data()
{
    QTest::addColumn<QByteArray>("lines");
    QTest::addColumn<QString>("says"); // empty: connects
    QTest::newRow("ssh -W") << QByteArray(" ProxyCommand ssh -F CONFIG -W %h:%p n1") << "";
    QTest::newRow("a shell line") << QByteArray(
                                         " ProxyCommand bash -c 'exec 3<>/dev/tcp/%h/%p; cat <&3 & exec cat >&3'")
                                  << "";
    QTest::newRow("it fails") << QByteArray(" ProxyCommand sh -c 'echo the gate is shut >&2; exit 3'")
                              << "the gate is shut";
    QTest::newRow("it fails without a word") << QByteArray(" ProxyCommand false") << "exit code 1";
    QTest::newRow("no such program") << QByteArray(" ProxyCommand /no/such/gate %h") << "/no/such/gate";
    QTest::newRow("RevokedHostKeys") << QByteArray(" RevokedHostKeys /etc/ssh/krl") << "RevokedHostKeys";
    QTest::newRow("ProxyUseFdpass") << QByteArray(" ProxyCommand x\n ProxyUseFdpass yes") << "ProxyUseFdpass";
    QTest::newRow("a name for the shell")
        << QByteArray(" HostName $(id)\n ProxyCommand nc %h %p") << "must not go into the command";
}

void TestSshWays::proxyCommand()
{
    QFETCH(QByteArray, lines);
    QFETCH(QString, says);
    IoThread io;
    {
        SshTransport transport(
            TestCluster::node("n2"), io,
            settings("Host n2\n" + lines.replace("CONFIG", TestCluster::file("ssh_config").toUtf8()) + "\n"));
        const auto ran = transport.run({"hostname"}, {}, Deadline::in(kLimit), {});
        QVERIFY2(ran.has_value() == says.isEmpty(), qPrintable(ran ? QString() : ran.error().text));
        if (!ran)
            QVERIFY2(ran.error().text.contains(says), qPrintable(ran.error().text));
        else
            QCOMPARE(ran->out, QByteArray("n2\n"));
    }
    // Nothing of it is left.
    QTRY_COMPARE_WITH_TIMEOUT(TestCluster::exec("n2", "ss -Htn state established sport = :22 | wc -l").out.trimmed(),
                              QByteArray("0"), 30'000);
}

void TestSshWays::aSlowNameHoldsNobodyUp()
{
    // A name server that never answers: this name takes 30 s to fail.
    const QByteArray before = contentOf("/etc/resolv.conf");
    QFile resolver("/etc/resolv.conf");
    QVERIFY(resolver.open(QIODevice::WriteOnly | QIODevice::Truncate));
    resolver.write("nameserver 10.77.1.1\noptions timeout:15 attempts:2\n");
    resolver.close();
    TestCluster::cut("n1");
    IoThread io;
    Result<void> slow;
    qint64 slowMs = 0, othersMs = 0;
    std::atomic<int> answered = 0;
    QElapsedTimer clock;
    clock.start();
    {
        std::jthread first([&] {
            SshTransport transport(TestCluster::node("slow.example.org"), io, TestCluster::settings());
            slow = transport.connect(Deadline::in(kLimit), {});
            slowMs = clock.elapsed();
        });
        std::vector<std::jthread> others;
        for (const char* host : {"n2", "n3", "n2", "n3"})
            others.emplace_back([&, host] {
                SshTransport transport(TestCluster::node(host), io, TestCluster::settings());
                answered += transport.connect(Deadline::in(kLimit), {}) ? 1 : 0;
            });
        others.clear();
        othersMs = clock.elapsed();
    }
    TestCluster::heal("n1");
    QVERIFY(resolver.open(QIODevice::WriteOnly | QIODevice::Truncate));
    resolver.write(before);
    QCOMPARE(answered, 4);
    QVERIFY(!slow);
    QCOMPARE(slow.error().code, ErrorCode::Unreachable);
    QVERIFY2(othersMs < slowMs, QByteArray::number(othersMs));
    QVERIFY2(slowMs < 25'000, QByteArray::number(slowMs)); // 8 s and what a busy machine adds; the resolver takes 30
}

void TestSshWays::twoPortsAreTwoNodes()
{
    TestCluster::configureSshd("n2", "Port 22\nPort 32101\nPort 32001");
    IoThread io;
    const SshSettings ports = settings("");
    for (const int port : {32101, 32001}) {
        Node node = TestCluster::node("n2");
        node.address.port = port;
        SshTransport transport(node, io, ports);
        const auto ran = transport.run({"sh", "-c", "echo ${SSH_CONNECTION##* }"}, {}, Deadline::in(kLimit), {});
        QVERIFY2(ran, qPrintable(ran ? QString() : ran.error().text));
        QCOMPARE(ran->out.trimmed().toInt(), port);
    }
    TestCluster::configureSshd("n2", "");
}

void TestSshWays::addsNewKeysWhereToldSo_data()
{
    QTest::addColumn<QByteArray>("checking");
    QTest::addColumn<bool>("connects");
    QTest::newRow("accept-new") << QByteArray("accept-new") << true;
    QTest::newRow("no") << QByteArray("no") << true;
    QTest::newRow("ask") << QByteArray("ask") << false;
    QTest::newRow("yes") << QByteArray("yes") << false;
}

void TestSshWays::addsNewKeysWhereToldSo()
{
    QFETCH(QByteArray, checking);
    QFETCH(bool, connects);
    const QString known = m_folder.filePath("known");
    QFile::remove(known);
    IoThread io;
    SshTransport transport(
        TestCluster::node("n2"), io,
        settings("StrictHostKeyChecking " + checking + "\nUserKnownHostsFile " + known.toUtf8() + "\n"));
    QCOMPARE(transport.connect(Deadline::in(kLimit), {}).has_value(), connects);
    QCOMPARE(contentOf(known).startsWith("n2 ssh-ed25519 "), connects);
}

LOCKSTEP_CLUSTER_MAIN(TestSshWays, 3)
#include "tst_sshways.moc"
