// SPDX-License-Identifier: GPL-3.0-or-later
// Certificates: a server that shows one for its key, signed by an authority of known_hosts, and a user who signs in
// with one. Real sshds; every certificate that must not count is refused.
#include "remote/hostkeycheck.h"
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
constexpr char kHostKey[] = "/etc/ssh/ssh_host_ed25519_key";

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void keygen(const QStringList& words)
{
    QProcess process;
    process.start(QStringLiteral("ssh-keygen"), words);
    if (!process.waitForFinished() || process.exitCode() != 0)
        qFatal("ssh-keygen %s: %s", qPrintable(words.join(u' ')), process.readAllStandardError().constData());
}

} // namespace

class TestSshCertificates : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void host_data();
    void host();
    void throughAJumpHost();
    void aForgedSignatureIsSeen();
    void readsNoMoreThanThereIs();
    void user_data();
    void user();

private:
    void write(const QString& name, const QByteArray& content)
    {
        QFile file(path(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size() ||
            !file.setPermissions(QFile::ReadOwner | QFile::WriteOwner))
            qFatal("%s", qPrintable(file.errorString()));
    }
    [[nodiscard]] QString path(const QString& name) const { return m_folder.filePath(name); }
    // n1's host key with this certificate, or none
    void showCertificate(const QByteArray& certificate)
    {
        if (certificate.isEmpty())
            return TestCluster::configureSshd("n1", m_userCa);
        write("shown", certificate);
        const Ran ran = TestCluster::exec("n1", "cat > /etc/ssh/host-cert.pub <<'END'\n" + certificate + "END");
        QCOMPARE(ran.exitCode, 0);
        TestCluster::configureSshd("n1", m_userCa + "HostCertificate /etc/ssh/host-cert.pub");
    }
    QByteArray hostCertificate(const QStringList& options, const QString& authority = QStringLiteral("ca"))
    {
        QFile::remove(path("hostkey-cert.pub"));
        keygen(QStringList{"-q", "-s", path(authority), "-I", "n1"} + options + QStringList{path("hostkey.pub")});
        return contentOf(path("hostkey-cert.pub"));
    }
    SshSettings settings(const QByteArray& lines = {})
    {
        write("config", "Host *\n" + lines + "\n User trainer\n UserKnownHostsFile " + path("known_hosts").toUtf8() +
                            "\n GlobalKnownHostsFile /dev/null\n IdentitiesOnly yes\n"
                            " IdentityFile " +
                            TestCluster::file("id").toUtf8() + "\n IdentityAgent none\n");
        SshSettings made;
        made.configFile = path("config");
        return made;
    }
    QTemporaryDir m_folder;
    QByteArray m_ca, m_userCa;
};

void TestSshCertificates::initTestCase()
{
    for (const char* name : {"ca", "other", "userca", "user", "revoked"})
        keygen({"-q", "-t", "ed25519", "-N", "", "-f", path(name)});
    m_ca = contentOf(path("ca.pub")).trimmed();
    write("hostkey.pub", TestCluster::exec("n1", QByteArray("cat ") + kHostKey + ".pub").out);
    QCOMPARE(
        TestCluster::exec("n1", "cat > /etc/ssh/userca.pub <<'END'\n" + contentOf(path("userca.pub")) + "END").exitCode,
        0);
    m_userCa = "TrustedUserCAKeys /etc/ssh/userca.pub\n";
}

void TestSshCertificates::host_data()
{
    QTest::addColumn<QStringList>("options"); // of ssh-keygen; empty: no certificate
    QTest::addColumn<QString>("authority");
    QTest::addColumn<QByteArray>("knownHosts"); // CA, KEY
    QTest::addColumn<QString>("says");          // empty: accepted
    const QStringList good{"-h", "-n", "n1,10.77.1.1", "-V", "-5m:+1h"};
    const QByteArray known("@cert-authority 10.77.*,n1 CA\n");
    QTest::newRow("good") << good << "ca" << known << "";
    QTest::newRow("good for all names") << QStringList{"-h", "-V", "-5m:+1h"} << "ca" << known << "";
    QTest::newRow("good by a pattern") << QStringList{"-h", "-n", "10.77.1.*"} << "ca" << known << "";
    QTest::newRow("another name") << QStringList{"-h", "-n", "n7"} << "ca" << known
                                  << "it is good for n7, not for 10.77.1.1";
    QTest::newRow("expired") << QStringList{"-h", "-n", "10.77.1.1", "-V", "-2h:-1h"} << "ca" << known
                             << "it expired at";
    QTest::newRow("not yet") << QStringList{"-h", "-n", "10.77.1.1", "-V", "+1h:+2h"} << "ca" << known
                             << "it is valid from";
    QTest::newRow("another authority") << good << "other" << known << "names another authority";
    QTest::newRow("of a user") << QStringList{"-n", "10.77.1.1"} << "ca" << known << "it is no host certificate";
    QTest::newRow("none shown") << QStringList() << "ca" << known << "shows no certificate";
    QTest::newRow("not for this host") << good << "ca" << QByteArray("@cert-authority n9 CA\n") << "is not known yet";
    QTest::newRow("authority revoked") << good << "ca" << known + "@revoked * CA\n"
                                       << "revokes";
    QTest::newRow("key revoked") << good << "ca" << known + "@revoked * KEY\n"
                                 << "revokes";
    QTest::newRow("its key is known as well") << QStringList() << "ca" << known + "10.77.1.1 KEY\n"
                                              << "";
}

void TestSshCertificates::host()
{
    QFETCH(QStringList, options);
    QFETCH(QString, authority);
    QFETCH(QByteArray, knownHosts);
    QFETCH(QString, says);
    showCertificate(options.isEmpty() ? QByteArray() : hostCertificate(options, authority));
    write("known_hosts", knownHosts.replace("CA", m_ca).replace("KEY", contentOf(path("hostkey.pub")).trimmed()));
    IoThread io;
    for (int i = 0; i < 2; ++i) { // the second time from what was shown before
        SshTransport transport(TestCluster::node("10.77.1.1"), io, settings());
        const auto connected = transport.connect(Deadline::in(kLimit), {});
        QVERIFY2(connected.has_value() == says.isEmpty(), qPrintable(connected ? QString() : connected.error().text));
        if (!connected)
            QVERIFY2(connected.error().text.contains(says), qPrintable(connected.error().text));
    }
}

void TestSshCertificates::throughAJumpHost()
{
    showCertificate(hostCertificate({"-h", "-n", "10.77.1.1"}));
    write("known_hosts", "@cert-authority 10.77.1.1 " + m_ca + '\n' +
                             contentOf(TestCluster::file("known_hosts")).replace("n1,10.77.1.1,", "n1,"));
    IoThread io;
    Node node = TestCluster::node("10.77.1.1");
    node.jump = {"10.77.1.2"};
    SshTransport transport(node, io, settings());
    const auto connected = transport.connect(Deadline::in(kLimit), {});
    QVERIFY2(connected, qPrintable(connected ? QString() : connected.error().text));
}

void TestSshCertificates::aForgedSignatureIsSeen()
{
    // One bit of the key id, which nobody looks at: only the signature tells.
    QList<QByteArray> words = hostCertificate({"-h", "-n", "10.77.1.1"}).split(' ');
    QByteArray blob = QByteArray::fromBase64(words[1]);
    const qsizetype keyId = blob.indexOf(QByteArray("\0\0\0\2n1", 6));
    QVERIFY(keyId > 0);
    blob[keyId + 5] = '2';
    QVERIFY(SshCertificate::parse(blob));
    write("known_hosts", "@cert-authority 10.77.1.1 " + m_ca + '\n');
    const SshSettings made = settings();
    const auto host = resolveHost({{}, "10.77.1.1", 0}, made, "n1", Deadline::in(kLimit), {});
    QVERIFY(host);
    HostKeyCheck forged(*host, made, "n1", "n1"), right(*host, made, "n1", "n1");
    forged.useCertificate(blob, Deadline::in(kLimit), {});
    QVERIFY(!forged.isCertified());
    const auto refused = forged.check(SshCertificate::parse(blob)->key);
    QVERIFY(!refused);
    QVERIFY2(refused.error().text.contains("its signature is wrong"), qPrintable(refused.error().text));
    right.useCertificate(QByteArray::fromBase64(words[1]), Deadline::in(kLimit), {});
    QVERIFY(right.isCertified());
}

void TestSshCertificates::readsNoMoreThanThereIs()
{
    const QByteArray blob = QByteArray::fromBase64(hostCertificate({"-h", "-n", "n1"}).split(' ')[1]);
    QVERIFY(SshCertificate::parse(blob));
    for (qsizetype size = 0; size < blob.size(); ++size)
        QVERIFY2(!SshCertificate::parse(blob.left(size)), QByteArray::number(size));
    for (qsizetype at = 0; at + 4 < blob.size(); ++at) {
        QByteArray huge = blob;
        huge.replace(at, 4, "\xff\xff\xff\xff");
        (void)SshCertificate::parse(huge);
    }
}

void TestSshCertificates::user_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QByteArray>("lines");
    QTest::addColumn<bool>("inAgent");
    QTest::addColumn<QString>("with");
    const QStringList good{"-n", "trainer", "-V", "-5m:+1h"};
    const QByteArray file("IdentityFile FOLDER/user\n CertificateFile FOLDER/away-cert.pub");
    QTest::newRow("beside the key") << good << QByteArray("IdentityFile FOLDER/user") << false
                                    << "/user with its certificate";
    QTest::newRow("CertificateFile") << good << file << false << "/user with its certificate";
    QTest::newRow("CertificateFile, key in the agent") << good << file << true << "with its certificate";
    QTest::newRow("for another user") << QStringList{"-n", "nobody"} << QByteArray("IdentityFile FOLDER/user") << false
                                      << "/id";
    QTest::newRow("of another key") << good
                                    << QByteArray("IdentityFile FOLDER/other\n CertificateFile FOLDER/away-cert.pub")
                                    << false << "/id";
}

void TestSshCertificates::user()
{
    QFETCH(QStringList, options);
    QFETCH(QByteArray, lines);
    QFETCH(bool, inAgent);
    QFETCH(QString, with);
    TestCluster::configureSshd("n1", m_userCa);
    keygen(QStringList{"-q", "-s", path("userca"), "-I", "u"} + options + QStringList{path("user.pub")});
    QFile::remove(path("away-cert.pub"));
    if (lines.contains("CertificateFile"))
        QVERIFY(QFile::rename(path("user-cert.pub"), path("away-cert.pub")));
    write("known_hosts", contentOf(TestCluster::file("known_hosts")));
    SshSettings made = settings(lines.replace("FOLDER", m_folder.path().toUtf8()));
    QProcess agent;
    if (inAgent) {
        agent.start("ssh-agent", {"-D", "-a", path("agent")});
        QTRY_VERIFY(QFile::exists(path("agent")));
        QProcess add;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("SSH_AUTH_SOCK", path("agent"));
        add.setProcessEnvironment(environment);
        add.start("ssh-add", {"-q", path("user")});
        QVERIFY(add.waitForFinished() && add.exitCode() == 0);
        write("config",
              contentOf(path("config")).replace("IdentityAgent none", "IdentityAgent " + path("agent").toUtf8()));
    }
    IoThread io;
    SshTransport transport(TestCluster::node("10.77.1.1"), io, made);
    const auto connected = transport.connect(Deadline::in(kLimit), {});
    if (inAgent) {
        agent.terminate();
        agent.waitForFinished();
    }
    QVERIFY2(connected, qPrintable(connected ? QString() : connected.error().text));
    QVERIFY2(transport.signedInWith().endsWith(with), qPrintable(transport.signedInWith()));
}

LOCKSTEP_CLUSTER_MAIN(TestSshCertificates, 2)
#include "tst_sshcertificates.moc"
