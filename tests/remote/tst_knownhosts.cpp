// SPDX-License-Identifier: GPL-3.0-or-later
// known_hosts as ssh keeps it: which line decides, and what is added.
#include "remote/knownhosts.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>

using namespace lockstep;

namespace {

ServerKey made(char seed, const QByteArray& algorithm = "ssh-ed25519")
{
    return {algorithm, QByteArray(1, '\0') + QByteArray(2, '\0') + static_cast<char>(algorithm.size()) + algorithm +
                           QByteArray(32, seed)};
}

QByteArray text(const ServerKey& key)
{
    return key.algorithm + ' ' + key.blob.toBase64();
}

const ServerKey kKey = made('a'), kOther = made('b'), kRsa = made('r', "ssh-rsa");

} // namespace

class TestKnownHosts : public QObject {
    Q_OBJECT

private slots:
    void init();
    void check_data();
    void check();
    void severalFiles();
    void offersKnownTypesFirst();
    void appends_data();
    void appends();
    void appendMakesFolderAndFile();
    void appendsAfterAnUnfinishedLine();
    void sshKeygenFindsWhatWasAppended_data();
    void sshKeygenFindsWhatWasAppended();
    void namesKeysAsSshDoes();

private:
    QString write(const QString& name, const QByteArray& content)
    {
        QFile file(m_folder->filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
            qFatal("%s", qPrintable(file.errorString()));
        return file.fileName();
    }
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestKnownHosts::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
}

void TestKnownHosts::check_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("port");
    QTest::addColumn<int>("verdict");
    QTest::addColumn<int>("line"); // that decided, 0: none

    const auto row = [](const char* tag, const QByteArray& content, const char* name, int port, KeyVerdict verdict,
                        int line) {
        QTest::newRow(tag) << content << QString::fromLatin1(name) << port << static_cast<int>(verdict) << line;
    };
    const QByteArray key = text(kKey), other = text(kOther), rsa = text(kRsa);
    using enum KeyVerdict;
    row("empty", "", "gpu1", 22, Unknown, 0);
    row("plain", "gpu1 " + key + "\n", "gpu1", 22, Known, 1);
    row("comment and blanks", "# gpu1\n\n  gpu1   " + key + " alice@desk\n", "gpu1", 22, Known, 3);
    row("another host", "gpu2 " + key + "\n", "gpu1", 22, Unknown, 0);
    row("a prefix is not the host", "gpu " + key + "\n", "gpu1", 22, Unknown, 0);
    row("upper case asked", "gpu1 " + key + "\n", "GPU1", 22, Known, 1);
    row("changed", "gpu1 " + other + "\n", "gpu1", 22, Changed, 1);
    row("another type only", "gpu1 " + rsa + "\n", "gpu1", 22, Changed, 1);
    row("both types", "gpu1 " + rsa + "\ngpu1 " + key + "\n", "gpu1", 22, Known, 2);
    row("old and new key", "gpu1 " + other + "\ngpu1 " + key + "\n", "gpu1", 22, Known, 2);
    row("changed, same type is named", "gpu1 " + rsa + "\ngpu1 " + other + "\n", "gpu1", 22, Changed, 2);
    row("several names", "a,gpu1,10.0.0.11 " + key + "\n", "10.0.0.11", 22, Known, 1);
    row("wildcard", "gpu* " + key + "\n", "gpu17", 22, Known, 1);
    row("question mark", "gpu? " + key + "\n", "gpu17", 22, Unknown, 0);
    row("negated", "gpu*,!gpu1 " + key + "\n", "gpu1", 22, Unknown, 0);
    row("port", "[gpu1]:2222 " + key + "\n", "gpu1", 2222, Known, 1);
    row("another port", "[gpu1]:2222 " + key + "\n", "gpu1", 2223, Unknown, 0);
    row("brackets are no character class", "[gpu1]:2222 " + other + "\n", "g:2222", 22, Unknown, 0);
    row("known without port", "gpu1 " + key + "\n", "gpu1", 2222, Known, 1);
    row("other key without port", "gpu1 " + other + "\n", "gpu1", 2222, Unknown, 0);
    row("port changed, plain known", "[gpu1]:2222 " + other + "\ngpu1 " + key + "\n", "gpu1", 2222, Changed, 1);
    row("IPv6", "2001:db8::9 " + key + "\n", "2001:db8::9", 22, Known, 1);
    row("IPv6 with port", "[2001:db8::9]:2222 " + key + "\n", "2001:db8::9", 2222, Known, 1);
    row("revoked", "@revoked gpu1 " + key + "\n", "gpu1", 22, Revoked, 1);
    row("revoked outweighs", "gpu1 " + key + "\n@revoked * " + key + "\n", "gpu1", 22, Revoked, 2);
    row("revoked for all, other port", "@revoked * " + key + "\n", "gpu1", 2222, Revoked, 1);
    row("revoked without port", "[gpu1]:2222 " + key + "\n@revoked gpu1 " + key + "\n", "gpu1", 2222, Revoked, 2);
    row("another key revoked", "@revoked gpu1 " + other + "\ngpu1 " + key + "\n", "gpu1", 22, Known, 2);
    row("an authority is no host key", "@cert-authority gpu1 " + key + "\n", "gpu1", 22, Unknown, 0);
    row("unknown marker", "@new gpu1 " + key + "\n", "gpu1", 22, Unknown, 0);
    row("short line", "gpu1 ssh-ed25519\n", "gpu1", 22, Unknown, 0);
    row("hashed", KnownHosts::line("gpu1", 22, kKey, "salt"), "gpu1", 22, Known, 1);
    row("hashed, another host", KnownHosts::line("gpu2", 22, kKey, "salt"), "gpu1", 22, Unknown, 0);
    row("hashed, changed", KnownHosts::line("gpu1", 22, kOther, "salt"), "gpu1", 22, Changed, 1);
    row("hashed with port", KnownHosts::line("gpu1", 2222, kKey, "salt"), "gpu1", 2222, Known, 1);
    row("broken hash", "|1|xx gpu1 " + key + "\n", "gpu1", 22, Unknown, 0);
}

void TestKnownHosts::check()
{
    QFETCH(QByteArray, content);
    QFETCH(QString, name);
    QFETCH(int, port);
    QFETCH(int, verdict);
    QFETCH(int, line);
    const QString path = write("known_hosts", content);
    const KeyFinding finding = KnownHosts::load({path}).check(name, port, kKey);
    QCOMPARE(static_cast<int>(finding.verdict), verdict);
    QCOMPARE(finding.line, line == 0 ? QString() : path + u':' + QString::number(line));
    QCOMPARE(finding.knownFingerprint.isEmpty(), finding.verdict != KeyVerdict::Changed);
    QCOMPARE(finding.authorities.isEmpty(), !content.startsWith("@cert-authority"));
}

void TestKnownHosts::severalFiles()
{
    const QString first = write("first", "gpu2 " + text(kKey) + "\n");
    const QString second = write("second", "gpu1 " + text(kOther) + "\n");
    const KeyFinding finding = KnownHosts::load({first, second, m_folder->filePath("missing")}).check("gpu1", 22, kKey);
    QCOMPARE(finding.verdict, KeyVerdict::Changed);
    QCOMPARE(finding.line, second + QStringLiteral(":1"));
    QCOMPARE(finding.knownFingerprint, kOther.fingerprint());
}

void TestKnownHosts::offersKnownTypesFirst()
{
    const auto known = KnownHosts::load({write("f", "gpu1 " + text(kRsa) + "\n[gpu1]:2222 " + text(kKey) + "\n")});
    QCOMPARE(known.algorithms("gpu1", 22), QList<QByteArray>{"ssh-rsa"});
    QCOMPARE(known.algorithms("gpu1", 2222), QList<QByteArray>{"ssh-ed25519"});
    QCOMPARE(known.algorithms("gpu1", 2223), QList<QByteArray>{"ssh-rsa"});
    QCOMPARE(known.algorithms("gpu2", 22), QList<QByteArray>{});
}

void TestKnownHosts::appends_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("port");
    QTest::addColumn<QByteArray>("host");
    QTest::newRow("plain") << "GPU1" << 22 << QByteArray("gpu1");
    QTest::newRow("port") << "gpu1" << 2222 << QByteArray("[gpu1]:2222");
    QTest::newRow("IPv6") << "2001:db8::9" << 2222 << QByteArray("[2001:db8::9]:2222");
}

void TestKnownHosts::appends()
{
    QFETCH(QString, name);
    QFETCH(int, port);
    QFETCH(QByteArray, host);
    const QString path = write("known_hosts", "# mine\n");
    QVERIFY(KnownHosts::append(path, name, port, kKey, {}, "node"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), "# mine\n" + host + ' ' + text(kKey) + '\n');
    QCOMPARE(KnownHosts::load({path}).check(name, port, kKey).verdict, KeyVerdict::Known);
}

void TestKnownHosts::appendMakesFolderAndFile()
{
    const QString folder = m_folder->filePath(".ssh"), path = folder + QStringLiteral("/known_hosts");
    QVERIFY(KnownHosts::append(path, "gpu1", 22, kKey, {}, "node"));
    struct stat status {};
    QCOMPARE(stat(folder.toLocal8Bit().constData(), &status), 0);
    QCOMPARE(status.st_mode & 0777U, 0700U);
    QCOMPARE(stat(path.toLocal8Bit().constData(), &status), 0);
    QCOMPARE(status.st_mode & 0777U, 0600U);

    const auto refused = KnownHosts::append(path + QStringLiteral("/file"), "gpu1", 22, kKey, {}, "node");
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::Io);
    QVERIFY2(refused.error().text.contains("Not a directory"), qPrintable(refused.error().text));
}

void TestKnownHosts::appendsAfterAnUnfinishedLine()
{
    const QString path = write("known_hosts", "gpu2 " + text(kOther));
    QVERIFY(KnownHosts::append(path, "gpu1", 22, kKey, {}, "node"));
    QCOMPARE(KnownHosts::load({path}).check("gpu1", 22, kKey).verdict, KeyVerdict::Known);
    QCOMPARE(KnownHosts::load({path}).check("gpu2", 22, kOther).verdict, KeyVerdict::Known);
}

void TestKnownHosts::sshKeygenFindsWhatWasAppended_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("port");
    QTest::addColumn<QByteArray>("salt");
    QTest::addColumn<QString>("asked");
    QTest::newRow("clear") << "gpu1" << 22 << QByteArray() << "gpu1";
    QTest::newRow("hashed") << "gpu1" << 22 << QByteArray(20, 's') << "gpu1";
    QTest::newRow("hashed with port") << "gpu1" << 2222 << QByteArray(20, 's') << "[gpu1]:2222";
}

void TestKnownHosts::sshKeygenFindsWhatWasAppended()
{
    QFETCH(QString, name);
    QFETCH(int, port);
    QFETCH(QByteArray, salt);
    QFETCH(QString, asked);
    const QString path = m_folder->filePath("known_hosts");
    QVERIFY(KnownHosts::append(path, name, port, kKey, salt, "node"));
    QProcess keygen;
    keygen.start("ssh-keygen", {"-F", asked, "-f", path});
    QVERIFY(keygen.waitForFinished());
    QCOMPARE(keygen.exitCode(), 0);
    QVERIFY(keygen.readAllStandardOutput().contains(text(kKey)));
}

void TestKnownHosts::namesKeysAsSshDoes()
{
    QProcess keygen;
    keygen.start("ssh-keygen", {"-q", "-t", "ed25519", "-N", "", "-f", m_folder->filePath("id")});
    QVERIFY(keygen.waitForFinished());
    keygen.start("ssh-keygen", {"-l", "-f", m_folder->filePath("id.pub")});
    QVERIFY(keygen.waitForFinished());
    const QString said = QString::fromUtf8(keygen.readAllStandardOutput());
    QFile file(m_folder->filePath("id.pub"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QList<QByteArray> words = file.readAll().split(' ');
    const ServerKey key{words[0], QByteArray::fromBase64(words[1])};
    QVERIFY2(said.contains(key.fingerprint() + u' '), qPrintable(said));
    QVERIFY2(said.contains(u'(' + key.typeName() + u')'), qPrintable(said));
}

QTEST_GUILESS_MAIN(TestKnownHosts)
#include "tst_knownhosts.moc"
