// SPDX-License-Identifier: GPL-3.0-or-later
// Who is at the other end, and who are we: host keys known, unknown, changed, revoked; keys that sign in and keys that
// cannot, against real sshds.
#include "remote/iothread.h"
#include "remote/sshtransport.h"
#include "tests/support/testcluster.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

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

QByteArray keygen(const QStringList& words)
{
    QProcess process;
    process.start(QStringLiteral("ssh-keygen"), words);
    if (!process.waitForFinished() || process.exitCode() != 0)
        qFatal("ssh-keygen %s: %s", qPrintable(words.join(u' ')), process.readAllStandardError().constData());
    return process.readAllStandardOutput();
}

} // namespace

class TestSshHostKeys : public QObject {
    Q_OBJECT

private slots:
    void init();
    void acceptsWhatAPersonSaw_data();
    void acceptsWhatAPersonSaw();
    void refuses_data();
    void refuses();
    void signsInWith_data();
    void signsInWith();
    void saysWhatWasTried_data();
    void saysWhatWasTried();
    void asksForAPassphrase();
    void findsTheRightOneOfTwelveAgentKeys();
    void aHungAgentEndsAtTheDeadline();

private:
    void write(const QString& name, const QByteArray& content,
               QFile::Permissions mode = QFile::ReadOwner | QFile::WriteOwner)
    {
        QFile file(path(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size() || !file.setPermissions(mode))
            qFatal("%s", qPrintable(file.errorString()));
    }
    [[nodiscard]] QString path(const QString& name) const { return m_folder->filePath(name); }
    // A host of its own in ssh_config: n1, with these lines first.
    SshSettings settings(const QByteArray& lines)
    {
        write("config", "Host *\n" + lines + "\n  User trainer\n  HostName 10.77.1.1\n  UserKnownHostsFile " +
                            path("known_hosts").toUtf8() +
                            "\n  GlobalKnownHostsFile /dev/null\n  IdentityAgent none\n  IdentityFile " +
                            TestCluster::file("id").toUtf8() + '\n');
        SshSettings made;
        made.configFile = path("config");
        return made;
    }
    std::unique_ptr<QTemporaryDir> m_folder;
    QByteArray m_hostKey; // of n1: "ssh-ed25519 AAAA..."
    QString m_fingerprint;
};

void TestSshHostKeys::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    const QByteArray line = contentOf(TestCluster::file("known_hosts")).split('\n').first();
    m_hostKey = line.mid(line.indexOf(' ') + 1);
    write("hostkey.pub", m_hostKey);
    m_fingerprint = QString::fromUtf8(keygen({"-l", "-f", path("hostkey.pub")}).split(' ')[1]);
    write("known_hosts", "n1 " + m_hostKey + '\n');
}

void TestSshHostKeys::acceptsWhatAPersonSaw_data()
{
    QTest::addColumn<QByteArray>("lines");
    QTest::addColumn<QByteArray>("startsWith");
    QTest::newRow("in clear") << QByteArray(" HashKnownHosts no") << QByteArray("10.77.1.1 ssh-ed25519 ");
    QTest::newRow("hashed") << QByteArray(" HashKnownHosts yes") << QByteArray("|1|");
    QTest::newRow("under an alias") << QByteArray(" HashKnownHosts no\n HostKeyAlias Cluster-1")
                                    << QByteArray("cluster-1 ssh-ed25519 ");
}

void TestSshHostKeys::acceptsWhatAPersonSaw()
{
    QFETCH(QByteArray, lines);
    QFETCH(QByteArray, startsWith);
    write("known_hosts", "");
    IoThread io;
    SshTransport transport(TestCluster::node("n1"), io, settings(lines));
    const auto unknown = transport.connect(Deadline::in(kLimit), {});
    QVERIFY(!unknown);
    QCOMPARE(unknown.error().code, ErrorCode::HostKeyUnknown);
    QVERIFY2(unknown.error().text.contains(m_fingerprint), qPrintable(unknown.error().text));
    QVERIFY(transport.hostKey());
    QCOMPARE(transport.hostKey()->fingerprint, m_fingerprint);
    QCOMPARE(transport.hostKey()->type, QStringLiteral("ED25519"));

    const auto other = transport.acceptHostKey(QStringLiteral("SHA256:another"));
    QVERIFY(!other);
    QCOMPARE(other.error().code, ErrorCode::HostKeyUnknown);
    QCOMPARE(contentOf(path("known_hosts")), QByteArray());

    QVERIFY(transport.acceptHostKey(m_fingerprint));
    QVERIFY2(contentOf(path("known_hosts")).startsWith(startsWith), contentOf(path("known_hosts")).constData());
    const auto known = transport.connect(Deadline::in(kLimit), {});
    QVERIFY2(known, qPrintable(known ? QString() : known.error().text));
    QVERIFY(transport.acceptHostKey(m_fingerprint)); // twice adds nothing
    QCOMPARE(contentOf(path("known_hosts")).count('\n'), 1);
}

void TestSshHostKeys::refuses_data()
{
    QTest::addColumn<QByteArray>("knownHosts"); // KEY: the host's own, OTHER: another one
    QTest::addColumn<ErrorCode>("code");
    QTest::addColumn<QString>("line");
    QTest::newRow("changed") << QByteArray("# a comment\nn1 OTHER\n") << ErrorCode::HostKeyChanged << "known_hosts:2";
    QTest::newRow("revoked") << QByteArray("n1 KEY\n@revoked * KEY\n") << ErrorCode::HostKeyChanged << "known_hosts:2";
    QTest::newRow("authority only") << QByteArray("@cert-authority * OTHER\n") << ErrorCode::HostKeyUnknown
                                    << "known_hosts:1";
}

void TestSshHostKeys::refuses()
{
    QFETCH(QByteArray, knownHosts);
    QFETCH(ErrorCode, code);
    QFETCH(QString, line);
    keygen({"-q", "-t", "ed25519", "-N", "", "-f", path("other")});
    const QByteArray other = contentOf(path("other.pub"));
    const QString otherFingerprint = QString::fromUtf8(keygen({"-l", "-f", path("other.pub")}).split(' ')[1]);
    write("known_hosts", knownHosts.replace("KEY", m_hostKey).replace("OTHER", other.trimmed()));
    const QByteArray before = contentOf(path("known_hosts"));
    IoThread io;
    SshTransport transport(TestCluster::node("n1"), io, settings(" HostKeyAlias n1"));
    const auto refused = transport.connect(Deadline::in(kLimit), {});
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, code);
    QVERIFY2(refused.error().text.contains(m_fingerprint), qPrintable(refused.error().text));
    QVERIFY2(refused.error().text.contains(line), qPrintable(refused.error().text));
    if (QByteArray(QTest::currentDataTag()) == "changed")
        QVERIFY2(refused.error().text.contains(otherFingerprint), qPrintable(refused.error().text));
    if (code == ErrorCode::HostKeyChanged) { // no way round it
        QVERIFY(!transport.acceptHostKey(m_fingerprint));
        QCOMPARE(contentOf(path("known_hosts")), before);
    }
}

void TestSshHostKeys::signsInWith_data()
{
    QTest::addColumn<QByteArray>("lines");
    QTest::addColumn<QString>("with");
    QTest::newRow("key file") << QByteArray(" HostKeyAlias n1") << QStringLiteral("/id");
    QTest::newRow("other keys before") << QByteArray(
                                              " HostKeyAlias n1\n IdentityFile FOLDER/k1\n IdentityFile FOLDER/k2")
                                       << QStringLiteral("/id");
    QTest::newRow("more than MaxAuthTries before")
        << QByteArray(
               " HostKeyAlias n1\n IdentityFile FOLDER/k1\n IdentityFile FOLDER/k2\n IdentityFile FOLDER/k3\n"
               " IdentityFile FOLDER/k4\n IdentityFile FOLDER/k5\n IdentityFile FOLDER/k6\n IdentityFile FOLDER/k7")
        << QStringLiteral("/id");
}

void TestSshHostKeys::signsInWith()
{
    QFETCH(QByteArray, lines);
    QFETCH(QString, with);
    for (int i = 1; i <= 7; ++i)
        keygen({"-q", "-t", "ed25519", "-N", "", "-f", path(QStringLiteral("k%1").arg(i))});
    IoThread io;
    SshTransport transport(TestCluster::node("n1"), io, settings(lines.replace("FOLDER", m_folder->path().toUtf8())));
    const auto connected = transport.connect(Deadline::in(kLimit), {});
    QVERIFY2(connected, qPrintable(connected ? QString() : connected.error().text));
    QVERIFY2(transport.signedInWith().endsWith(with), qPrintable(transport.signedInWith()));
}

void TestSshHostKeys::saysWhatWasTried_data()
{
    QTest::addColumn<QByteArray>("lines");
    QTest::addColumn<ErrorCode>("code");
    QTest::addColumn<QStringList>("says");
    const QByteArray alias(" HostKeyAlias n1\n IdentitiesOnly yes\n");
    QTest::newRow("unknown user") << alias + " User nobody-here\n IdentityFile FOLDER/wrong" << ErrorCode::AuthFailed
                                  << QStringList{"nobody-here@10.77.1.1", "/wrong (refused)", "/id (refused)",
                                                 "allows publickey"};
    QTest::newRow("mode 0644") << alias + " User nobody-here\n IdentityFile FOLDER/open" << ErrorCode::AuthFailed
                               << QStringList{"/open (mode 0644", "chmod 600"};
    QTest::newRow("a .pub") << alias + " User nobody-here\n IdentityFile FOLDER/wrong.pub" << ErrorCode::AuthFailed
                            << QStringList{"/wrong.pub (this is the public half"};
    QTest::newRow("locked, right user") << alias + " IdentityFile FOLDER/locked\n User root"
                                        << ErrorCode::NeedsPassphrase
                                        << QStringList{"/locked", "locked by a passphrase", "ssh-add"};
}

void TestSshHostKeys::saysWhatWasTried()
{
    QFETCH(QByteArray, lines);
    QFETCH(ErrorCode, code);
    QFETCH(QStringList, says);
    keygen({"-q", "-t", "ed25519", "-N", "", "-f", path("wrong")});
    keygen({"-q", "-t", "ed25519", "-N", "", "-f", path("open")});
    QVERIFY(QFile::setPermissions(path("open"),
                                  QFile::ReadOwner | QFile::WriteOwner | QFile::ReadGroup | QFile::ReadOther));
    keygen({"-q", "-t", "ed25519", "-N", "secret", "-f", path("locked")});
    // root of n1 takes the locked key and nothing else.
    const QByteArray locked = contentOf(path("locked.pub")).trimmed();
    QCOMPARE(TestCluster::exec("n1", "echo '" + locked + "' > /root/.ssh/authorized_keys").exitCode, 0);
    IoThread io;
    SshTransport transport(TestCluster::node("n1"), io, settings(lines.replace("FOLDER", m_folder->path().toUtf8())));
    const auto refused = transport.connect(Deadline::in(kLimit), {});
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, code);
    for (const QString& words : says)
        QVERIFY2(refused.error().text.contains(words), qPrintable(refused.error().text));
}

void TestSshHostKeys::asksForAPassphrase()
{
    keygen({"-q", "-t", "ed25519", "-N", "secret", "-f", path("locked")});
    const QByteArray locked = contentOf(path("locked.pub")).trimmed();
    QCOMPARE(TestCluster::exec("n1", "echo '" + locked + "' > /root/.ssh/authorized_keys").exitCode, 0);
    SshSettings asked =
        settings(" HostKeyAlias n1\n IdentitiesOnly yes\n User root\n IdentityFile " + path("locked").toUtf8());
    int times = 0;
    asked.ask = [&](const SignInQuestion& question, const std::stop_token&) -> std::optional<Secret> {
        if (question.kind != SignInQuestion::Kind::Passphrase || !question.whom.endsWith("/locked") ||
            question.node != QLatin1String("n1"))
            return {};
        return Secret(++times == 1 ? "wrong" : "secret");
    };
    IoThread io;
    SshTransport transport(TestCluster::node("n1"), io, asked);
    const auto connected = transport.connect(Deadline::in(kLimit), {});
    QVERIFY2(connected, qPrintable(connected ? QString() : connected.error().text));
    QCOMPARE(times, 2);
}

void TestSshHostKeys::findsTheRightOneOfTwelveAgentKeys()
{
    const QString socket = path("agent");
    QProcess agent;
    agent.start("ssh-agent", {"-D", "-a", socket});
    QTRY_VERIFY(QFile::exists(socket));
    QProcess add;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("SSH_AUTH_SOCK", socket);
    add.setProcessEnvironment(environment);
    QStringList files;
    for (int i = 0; i < 11; ++i) {
        files += path(QStringLiteral("a%1").arg(i));
        keygen({"-q", "-t", "ed25519", "-N", "", "-C", QStringLiteral("key %1").arg(i), "-f", files.last()});
    }
    files += TestCluster::file("id");
    add.start("ssh-add", files);
    QVERIFY(add.waitForFinished());
    QCOMPARE(add.exitCode(), 0);

    write("config",
          "Host *\n User trainer\n HostName 10.77.1.1\n HostKeyAlias n1\n IdentityFile none\n UserKnownHostsFile " +
              path("known_hosts").toUtf8() + "\n GlobalKnownHostsFile /dev/null\n IdentityAgent " + socket.toUtf8() +
              '\n');
    SshSettings all;
    all.configFile = path("config");
    IoThread io;
    SshTransport transport(TestCluster::node("n1"), io, all);
    const auto connected = transport.connect(Deadline::in(kLimit), {});
    agent.terminate();
    agent.waitForFinished();
    QVERIFY2(connected, qPrintable(connected ? QString() : connected.error().text));
    QCOMPARE(transport.signedInWith(), QStringLiteral("ssh-agent: lockstep-test"));
}

void TestSshHostKeys::aHungAgentEndsAtTheDeadline()
{
    // An agent that takes connections and says nothing; the key file signs in nevertheless.
    QProcess silent;
    silent.start(
        "python3",
        {"-c",
         "import socket,sys,time\ns=socket.socket(socket.AF_UNIX)\ns.bind(sys.argv[1])\ns.listen(9)\ntime.sleep(600)",
         path("agent")});
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path("agent")), 30'000);
    write("config", "Host *\n User trainer\n HostName 10.77.1.1\n HostKeyAlias n1\n IdentityFile " +
                        TestCluster::file("id").toUtf8() + "\n UserKnownHostsFile " + path("known_hosts").toUtf8() +
                        "\n IdentityAgent " + path("agent").toUtf8() + '\n');
    SshSettings hung;
    hung.configFile = path("config");
    IoThread io;
    SshTransport transport(TestCluster::node("n1"), io, hung);
    const auto connected = transport.connect(Deadline::in(kLimit), {});
    silent.kill();
    silent.waitForFinished();
    QVERIFY2(connected, qPrintable(connected ? QString() : connected.error().text));
    QVERIFY(transport.signedInWith().endsWith("/id"));
}

LOCKSTEP_CLUSTER_MAIN(TestSshHostKeys, 1)
#include "tst_sshhostkeys.moc"
