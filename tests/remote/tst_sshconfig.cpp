// SPDX-License-Identifier: GPL-3.0-or-later
// What ssh would do with a host is what we do: rows of cases/remote.md, through the real ssh.
#include "remote/sshconfig.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace lockstep;
using namespace std::chrono_literals;

class TestSshConfig : public QObject {
    Q_OBJECT

private slots:
    void resolves_data();
    void resolves();
    void takesWhatThePersonTyped();
    void readsKeysAndFiles();
    void worksWithoutSsh();
    void tellsWhatIsNotFollowed_data();
    void tellsWhatIsNotFollowed();
    void refuses_data();
    void refuses();

private:
    Result<SshHost> resolve(const QByteArray& config, const Address& address)
    {
        QFile file(m_folder.filePath("config"));
        if (!file.open(QIODevice::WriteOnly) || file.write(config) != config.size())
            qFatal("%s", qPrintable(file.errorString()));
        file.close();
        SshSettings settings;
        settings.configFile = file.fileName();
        return resolveHost(address, settings, "node", Deadline::in(20s), {});
    }
    QTemporaryDir m_folder;
};

void TestSshConfig::resolves_data()
{
    QTest::addColumn<QByteArray>("config");
    QTest::addColumn<QString>("host");
    QTest::addColumn<QString>("right"); // user@host:port, through the jump hosts
    const QByteArray first = "Host *\n User default\nHost gpu-1\n User alice\n HostName 10.0.0.11\n";
    QTest::newRow("first value wins") << first << "gpu-1"
                                      << "default@10.0.0.11:22";
    const QByteArray jumps = "Host gpu-1\n ProxyJump none\nHost gpu-*\n HostName %h.cluster.example\n ProxyJump jump\n"
                             " User alice\nHost jump\n HostName 203.0.113.5\n Port 2222\n User ops\n";
    QTest::newRow("no jump") << jumps << "gpu-1"
                             << "alice@gpu-1.cluster.example:22";
    QTest::newRow("jump") << jumps << "gpu-2"
                          << "alice@gpu-2.cluster.example:22 jump";
    QTest::newRow("the jump host itself") << jumps << "jump"
                                          << "ops@203.0.113.5:2222";
    QTest::newRow("two jumps") << QByteArray("Host a\n User u\n ProxyJump ops@h1:2222,h2\n") << "a"
                               << "u@a:22 ops@h1:2222 h2";
    QTest::newRow("words libssh stops at")
        << QByteArray("Match localuser nobody tagged x\n User no\nHost *\n User yes\n") << "b"
        << "yes@b:22";
    QTest::newRow("IPv6") << QByteArray("Host *\n User u\n") << "2001:db8::9"
                          << "u@2001:db8::9:22";
}

void TestSshConfig::resolves()
{
    QFETCH(QByteArray, config);
    QFETCH(QString, host);
    QFETCH(QString, right);
    const auto resolved = resolve(config, {{}, host, 0});
    if (QByteArray(QTest::currentDataTag()) == "words libssh stops at" && !resolved) {
        // An ssh that does not know the word either refuses the file; we say so.
        QVERIFY2(resolved.error().text.contains("tagged"), qPrintable(resolved.error().text));
        return;
    }
    QVERIFY2(resolved, qPrintable(resolved ? QString() : resolved.error().text));
    QString text = QStringLiteral("%1@%2:%3").arg(resolved->user, resolved->hostName).arg(resolved->port);
    for (const QString& jump : resolved->proxyJump)
        text += u' ' + jump;
    QCOMPARE(text, right);
}

void TestSshConfig::takesWhatThePersonTyped()
{
    const auto resolved = resolve("Host *\n User default\n Port 2200\n", {"bob", "gpu1", 32101});
    QVERIFY(resolved);
    QCOMPARE(resolved->user, QStringLiteral("bob"));
    QCOMPARE(resolved->port, 32101);
}

void TestSshConfig::readsKeysAndFiles()
{
    qputenv("OUR_AGENT", "/run/agent");
    const auto resolved =
        resolve("Host *\n User u\n HostName 10.0.0.11\n IdentityFile /k/%n-%h-%r-%p\n IdentityFile ~/.ssh/two\n "
                "IdentitiesOnly yes\n"
                " IdentityAgent $OUR_AGENT\n UserKnownHostsFile /a/one /a/two\n GlobalKnownHostsFile /a/three\n"
                " HostKeyAlias Alias\n HashKnownHosts yes\n AddressFamily inet6\n",
                {{}, "gpu1", 0});
    QVERIFY2(resolved, qPrintable(resolved ? QString() : resolved.error().text));
    QCOMPARE(resolved->identityFiles.first(), QStringLiteral("/k/gpu1-10.0.0.11-u-22"));
    QVERIFY(resolved->identityFiles.last().startsWith(u'/') && resolved->identityFiles.last().endsWith("/.ssh/two"));
    QCOMPARE(resolved->identitiesOnly, true);
    QCOMPARE(resolved->identityAgent, QStringLiteral("/run/agent"));
    QCOMPARE(resolved->knownHostsFiles, QStringList({"/a/one", "/a/two", "/a/three"}));
    QCOMPARE(resolved->knownHostsName(), QStringLiteral("alias"));
    QCOMPARE(resolved->hashKnownHosts, true);
    QCOMPARE(resolved->addressFamily, QStringLiteral("inet6"));

    qputenv("OUR_FOLDER", "/of/ours");
    const auto variables = resolve("Host *\n IdentityFile ${OUR_FOLDER}/%h\n CertificateFile ${OUR_UNSET}/a\n "
                                   "IdentityAgent ${OUR_FOLDER}/agent\n UserKnownHostsFile ${OUR_FOLDER}/known\n",
                                   {{}, "gpu1", 0});
    QVERIFY2(variables, qPrintable(variables ? QString() : variables.error().text));
    QCOMPARE(variables->identityFiles, QStringList({"/of/ours/gpu1"}));
    QCOMPARE(variables->certificateFiles, QStringList({"${OUR_UNSET}/a"})); // there is no such file, and that is said
    QCOMPARE(variables->identityAgent, QStringLiteral("/of/ours/agent"));
    QCOMPARE(variables->knownHostsFiles.first(), QStringLiteral("/of/ours/known"));

    const auto none = resolve("Host *\n IdentityAgent none\n", {{}, "gpu1", 0});
    QVERIFY(none);
    QCOMPARE(none->identityAgent, QString());
}

void TestSshConfig::worksWithoutSsh()
{
    SshSettings settings;
    settings.program = m_folder.filePath("no-ssh");
    const auto resolved = resolveHost({"alice", "10.0.0.11", 2222}, settings, "node", Deadline::in(20s), {});
    QVERIFY(resolved);
    QCOMPARE(resolved->hostName, QStringLiteral("10.0.0.11"));
    QCOMPARE(resolved->user, QStringLiteral("alice"));
    QCOMPARE(resolved->port, 2222);
    QVERIFY(resolved->knownHostsFiles.first().endsWith("/.ssh/known_hosts"));
    QVERIFY(!resolved->identityFiles.isEmpty());
}

void TestSshConfig::tellsWhatIsNotFollowed_data()
{
    using enum NotHonoured::Matters;
    QTest::addColumn<QByteArray>("option");
    QTest::addColumn<NotHonoured::Matters>("matters");
    QTest::addColumn<QString>("sentence"); // its beginning; empty: nothing is told
    const auto row = [](const char* option, NotHonoured::Matters matters, const char* sentence) {
        QTest::newRow(option) << QByteArray(option) << matters << QString::fromLatin1(sentence);
    };
    row("GSSAPIAuthentication yes", WhenSigningInFails, "GSSAPIAuthentication: there is no signing in by Kerberos");
    row("HostbasedAuthentication yes", WhenSigningInFails, "HostbasedAuthentication: ");
    row("PKCS11Provider /usr/lib/opensc.so", WhenSigningInFails, "PKCS11Provider: ");
    row("SecurityKeyProvider /usr/lib/sk.so", WhenSigningInFails, "SecurityKeyProvider: ");
    row("ControlPath ~/.ssh/%C", WhenSigningInFails, "ControlPath: ");
    row("KnownHostsCommand /bin/keys %H", WhenTheHostKeyIsRefused, "KnownHostsCommand: ");
    row("VerifyHostKeyDNS ask", WhenTheHostKeyIsRefused, "VerifyHostKeyDNS: ");
    row("NoHostAuthenticationForLocalhost yes", WhenTheHostKeyIsRefused, "NoHostAuthenticationForLocalhost: the host");
    row("AddKeysToAgent confirm 1h", Always, "AddKeysToAgent: ");
    row("ForwardAgent yes", Always, "ForwardAgent: the agent is not forwarded");
    row("ForwardAgent $OUR_AGENT", Always, "ForwardAgent: ");
    row("ForwardX11 yes", Always, "ForwardX11: ");
    row("LocalForward 8888 localhost:8888", Always, "LocalForward: ");
    row("RemoteForward 9000 localhost:9000", Always, "RemoteForward: ");
    row("DynamicForward 1080", Always, "DynamicForward: ");
    row("Tunnel ethernet", Always, "Tunnel: ");
    row("RemoteCommand tmux attach", Always, "RemoteCommand: it is not run");
    row("SetEnv A=b C=d", Always, "SetEnv: ranks get the variables of the plan");
    row("PermitLocalCommand yes\nLocalCommand echo %h", Always, "LocalCommand: no command is run here");
    row("LocalCommand echo %h", Always, ""); // ssh does not run it either
    row("PermitLocalCommand yes", Always, "");
    row("ForwardAgent no", Always, "");
    row("CheckHostIP yes", Always, ""); // before OpenSSH 8.5 that is the default, of which nobody has to hear
    row("GSSAPIAuthentication no", WhenSigningInFails, "");
    row("SecurityKeyProvider internal", WhenSigningInFails, "");
    row("RemoteCommand none", Always, "");
    row("ServerAliveInterval 30", Always, "");
}

void TestSshConfig::tellsWhatIsNotFollowed()
{
    QFETCH(QByteArray, option);
    QFETCH(NotHonoured::Matters, matters);
    QFETCH(QString, sentence);
    const auto host = resolve("Host gpu-1\n User u\n" + option + '\n', {{}, "gpu-1", 0});
    QVERIFY2(host, host ? "" : qPrintable(host.error().text));
    QCOMPARE(host->notHonoured.size(), sentence.isEmpty() ? 0 : 1);
    const QString told = host->unused(matters).join(u' ');
    QVERIFY2(sentence.isEmpty() ? told.isEmpty() : told.startsWith(sentence), qPrintable(told));
}

void TestSshConfig::refuses_data()
{
    QTest::addColumn<QByteArray>("config");
    QTest::addColumn<QString>("host");
    QTest::addColumn<QString>("says");
    QTest::newRow("an option for a host") << QByteArray() << "-oProxyCommand=touch x"
                                          << "is no address";
    QTest::newRow("no host") << QByteArray() << ""
                             << "is no address";
    QTest::newRow("broken file") << QByteArray("Host\n") << "gpu1"
                                 << "line 1";
}

void TestSshConfig::refuses()
{
    QFETCH(QByteArray, config);
    QFETCH(QString, host);
    QFETCH(QString, says);
    const auto resolved = resolve(config, {{}, host, 0});
    QVERIFY(!resolved);
    QCOMPARE(resolved.error().code, ErrorCode::BadInput);
    QVERIFY2(resolved.error().text.contains(says), qPrintable(resolved.error().text));
}

QTEST_GUILESS_MAIN(TestSshConfig)
#include "tst_sshconfig.moc"
