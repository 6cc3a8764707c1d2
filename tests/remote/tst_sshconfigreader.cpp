// SPDX-License-Identifier: GPL-3.0-or-later
// Our own reading of ssh_config against `ssh -G`: made configurations, a thousand of them, and the corners that people
// meet.
#include "remote/sshconfig.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <random>

using namespace lockstep;
using namespace std::chrono_literals;

namespace {

constexpr int kMade = 1000;
constexpr int kShown = 5; // of those that differ
constexpr quint32 kSeed = 20261129;
constexpr auto kLimit = 20s;

// Its lists of algorithms are the defaults of one build of ssh; ours are libssh's.
SshHost comparable(SshHost host)
{
    for (QString* list :
         {&host.ciphers, &host.macs, &host.kexAlgorithms, &host.hostKeyAlgorithms, &host.publicKeyAlgorithms})
        list->clear();
    return host;
}

QStringList fields(const Result<SshHost>& result)
{
    if (!result)
        return {QStringLiteral("error: ") + result.error().text};
    const SshHost& host = *result;
    return {host.hostName,
            host.user,
            QString::number(host.port),
            host.identityFiles.join(u' '),
            host.certificateFiles.join(u' '),
            host.identitiesOnly ? "identities only" : "",
            host.identityAgent,
            host.knownHostsFiles.join(u' '),
            host.hostKeyAlias,
            host.hashKnownHosts ? "hash" : "",
            host.addressFamily,
            host.bindAddress + host.bindInterface,
            QString::number(host.connectTimeoutS),
            host.proxyJump.join(u','),
            host.proxyCommand,
            host.methods.join(u' '),
            QString::number(host.passwordPrompts),
            host.batchMode ? "batch" : "",
            host.acceptNewHostKeys ? "accept new" : "",
            QString::number(host.requiredRsaBits),
            host.unused(NotHonoured::Matters::Always).join(u' '),
            host.unused(NotHonoured::Matters::WhenSigningInFails).join(u' '),
            host.unused(NotHonoured::Matters::WhenTheHostKeyIsRefused).join(u' ')};
}

// Empty: the same. Else what ssh has and we have not.
QByteArray difference(const Result<SshHost>& right, const Result<SshHost>& ours)
{
    if (right == ours || (!right && !ours))
        return {};
    const QStringList theirs = fields(right), own = fields(ours);
    QString text;
    for (qsizetype i = 0; i < std::max(theirs.size(), own.size()); ++i)
        if (theirs.value(i) != own.value(i))
            text += QStringLiteral("ssh: %1 | ours: %2\n").arg(theirs.value(i), own.value(i));
    return text.isEmpty() ? QByteArray("something else") : text.toUtf8();
}

class Maker { // of configurations as people write them, and worse
public:
    explicit Maker(quint32 seed) : m_random(seed) {}

    QByteArray config(int depth = 0)
    {
        QByteArray text;
        const int lines = below(4) + 2;
        if (chance(3))
            text += options(below(3));
        for (int i = 0; i < lines; ++i) {
            text += chance(4) ? match() : host();
            text += options(1 + below(5));
            if (depth == 0 && chance(8))
                text += indent() + "Include FOLDER/part" + QByteArray::number(below(3)) + "\n";
            if (chance(6))
                text += "# a comment with \"quotes\"\n\n";
        }
        return text;
    }
    QByteArray name()
    {
        return pick({"gpu-1", "gpu-2", "gpu17", "jump", "login.example.org", "1234", "10.0.0.11", "GPU-1"});
    }
    bool chance(int oneOf) { return below(oneOf) == 0; }
    int below(int limit) { return static_cast<int>(m_random() % static_cast<quint32>(limit)); }

private:
    QByteArray pick(const QList<QByteArray>& from) { return from[below(static_cast<int>(from.size()))]; }
    QByteArray indent() { return pick({"", "  ", "\t", " \t "}); }
    QByteArray pattern()
    {
        return pick({"gpu-1", "gpu-*", "gpu?*", "*", "!gpu-1", "!gpu-2 *", "jump", "*.example.org", "10.0.0.*", "GPU-*",
                     "1234", "gpu17", "0.0.4.210"});
    }
    QByteArray keyword(const QByteArray& word)
    {
        const QByteArray cased = chance(3) ? word.toLower() : chance(8) ? word.toUpper() : word;
        return indent() + cased + pick({" ", "  ", "\t", " = ", "=", " "});
    }
    QByteArray host()
    {
        QByteArray line = keyword("Host") + pattern();
        while (chance(3))
            line += ' ' + pattern();
        return line + pick({"\n", " \n", "\r\n", " # rest\n"});
    }
    QByteArray match()
    {
        QByteArray line = keyword("Match");
        if (chance(5))
            return line + pick({"all", "final", "!final host gpu-*", "canonical", "final all"}) + '\n';
        do {
            line += pick({"host gpu-*", "host 10.0.0.*,!10.0.0.12", "!host gpu-1", "originalhost gpu-1,gpu17",
                          "user alice", "!user alice", "user \"alice\"", "localuser root", "originalhost=gpu-2",
                          "exec \"test %h = gpu-1\"", "exec false", "!exec \"true\"", "final",
                          "host \"*.cluster.example\""}) +
                    ' ';
        } while (chance(3));
        return line + pick({"\n", "\n", "\n", "# why\n"});
    }
    QByteArray options(int count)
    {
        QByteArray text;
        for (int i = 0; i < count; ++i)
            text += option();
        return text;
    }
    QByteArray option()
    {
        const QList<QPair<QByteArray, QList<QByteArray>>> known{
            {"HostName",
             {"10.0.0.11", "%h.cluster.example", "gpu.Example.org", "10.1", "%%h", "\"10.0.0.12\"", "2001:DB8::9"}},
            {"User", {"alice", "bob", "\"carol\"", "default"}},
            {"Port", {"22", "2222", "32101", "ssh"}},
            {"IdentityFile",
             {"~/.ssh/one", "/keys/%n-%h-%r-%p", "\"/keys/with blank\"", "none", "~/.ssh/two", "/keys/a\\ b"}},
            {"CertificateFile", {"~/.ssh/one-cert.pub", "/keys/%h-cert.pub"}},
            {"IdentitiesOnly", {"yes", "no", "YES"}},
            {"IdentityAgent", {"none", "/run/agent", "SSH_AUTH_SOCK", "$OUR_AGENT", "~/agent.sock"}},
            {"UserKnownHostsFile", {"/a/one /a/two", "~/.ssh/other", "none", "/dev/null", "\"/a/b c\""}},
            {"GlobalKnownHostsFile", {"/g/one", "/dev/null"}},
            {"HostKeyAlias", {"alias", "Cluster-1"}},
            {"HashKnownHosts", {"yes", "no"}},
            {"AddressFamily", {"any", "inet", "inet6"}},
            {"BindAddress", {"10.0.0.1"}},
            {"ConnectTimeout", {"10", "2m", "none", "1h30m"}},
            {"ProxyJump",
             {"jump", "none", "ops@jump:2222", "a,b@c:22,d", "[2001:db8::1]:2222", "ssh://u@gate:99", "jump # why"}},
            {"ProxyCommand", {"none", "ssh -W %h:%p gate", "nc %h %p # not a comment", "\"/bin/my nc\" %h"}},
            {"PreferredAuthentications",
             {"publickey", "password,publickey", "keyboard-interactive,password,hostbased"}},
            {"PubkeyAuthentication", {"yes", "no", "host-bound"}},
            {"PasswordAuthentication", {"yes", "no"}},
            {"KbdInteractiveAuthentication", {"yes", "no"}},
            {"ChallengeResponseAuthentication", {"no"}},
            {"NumberOfPasswordPrompts", {"1", "5"}},
            {"BatchMode", {"yes", "no"}},
            {"StrictHostKeyChecking", {"yes", "no", "ask", "accept-new", "off"}},
            {"ServerAliveInterval", {"30"}},
            {"ForwardAgent", {"yes", "no"}},
            {"GSSAPIAuthentication", {"yes", "no"}},
            {"HostbasedAuthentication", {"yes", "no"}},
            {"NoHostAuthenticationForLocalhost", {"yes", "no"}},
            {"VerifyHostKeyDNS", {"yes", "ask", "no"}},
            {"CheckHostIP", {"yes", "no"}},
            {"AddKeysToAgent", {"yes", "confirm", "no"}},
            {"PermitLocalCommand", {"yes", "no"}},
            {"LocalCommand", {"echo %h", "none"}},
            {"RemoteCommand", {"none", "tmux attach"}},
            {"RequiredRSASize", {"1024", "3072"}},
            {"SetEnv", {"A=b", "A=\"b c\" D=e"}},
            {"Tunnel", {"yes", "no"}},
            {"RemoteForward", {"9000 localhost:9000"}},
            {"DynamicForward", {"1080"}},
            {"SendEnv", {"LANG LC_*"}},
            {"LocalForward", {"8888 localhost:8888"}},
            {"ControlPath", {"~/.ssh/cm-%C"}},
            {"IgnoreUnknown", {"UseKeychain", "UseKeychain,Nonsense*"}},
        };
        if (chance(60))
            return "UseKeychain yes\n";
        if (chance(150))
            return pick({"Nonsense 1\n", "Port 0\n", "User\n", "User a b\n", "IdentityFile \"open\n", "Match\n",
                         "Match unknown x\n", "HashKnownHosts maybe\n", "ProxyJump a,,b\n", "Host \"\"\n"});
        const auto& [word, values] = known[below(static_cast<int>(known.size()))];
        const QByteArray value = pick(values);
        const bool whole = word.startsWith("Proxy") || word.endsWith("Command"); // the rest of the line is the value
        return keyword(word) + value + (whole ? "\n" : pick({"\n", "\n", "  \n", " # why\n", "\r\n"}));
    }

    std::mt19937 m_random;
};

} // namespace

class TestSshConfigReader : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { qputenv("OUR_AGENT", "/run/ours"); }
    void madeConfigurations();
    void corners_data();
    void corners();
    void saysWhatNeedsSsh();

private:
    void write(const QString& name, const QByteArray& content)
    {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
            qFatal("%s", qPrintable(file.errorString()));
    }
    Result<SshHost> read(const QString& program, const Address& address)
    {
        SshSettings settings;
        settings.program = program;
        settings.configFile = m_folder.filePath("config");
        auto host = resolveHost(address, settings, "node", Deadline::in(kLimit), {});
        return host ? Result<SshHost>(comparable(*host)) : host;
    }
    QTemporaryDir m_folder;
};

void TestSshConfigReader::madeConfigurations()
{
    qInfo("seed %u", kSeed);
    Maker maker(kSeed);
    int refused = 0, wrong = 0;
    for (int i = 0; i < kMade; ++i) {
        for (int part = 0; part < 2; ++part) // part2 is missing
            write(QStringLiteral("part%1").arg(part), maker.config(1));
        const QByteArray config = maker.config().replace("FOLDER", m_folder.path().toUtf8());
        write("config", config);
        Address address{maker.chance(5) ? "typed" : "", QString::fromUtf8(maker.name()), maker.chance(6) ? 2299 : 0};
        const auto right = read("ssh", address), ours = read("no-such-ssh", address);
        refused += right ? 0 : 1;
        const QByteArray differs = difference(right, ours);
        if (!differs.isEmpty() && ++wrong <= kShown)
            qWarning("configuration %d for %s differs: %s%s", i, qPrintable(address.text()), differs.constData(),
                     config.constData());
    }
    QCOMPARE(wrong, 0);
    QVERIFY2(refused > kMade / 50 && refused < kMade / 2, QByteArray::number(refused)); // both kinds are tried
}

void TestSshConfigReader::corners_data()
{
    QTest::addColumn<QByteArray>("config");
    QTest::addColumn<QString>("host");
    const auto row = [](const char* name, const char* config, const char* host) {
        QTest::newRow(name) << QByteArray(config) << QString::fromLatin1(host);
    };
    row("first value wins", "Host *\n User default\nHost gpu-1\n User alice\n HostName 10.0.0.11\n", "gpu-1");
    row("jump none before jump", "Host gpu-1\n ProxyJump none\nHost gpu-*\n ProxyJump jump\n", "gpu-1");
    row("command after jump none", "Host gpu-1\n ProxyJump none\nHost *\n ProxyCommand nc %h %p\n", "gpu-1");
    row("jump after command", "ProxyCommand nc %h %p\nProxyJump jump\n", "gpu-1");
    row("a number is an address", "Host 1234\n Port 1980\n", "1234");
    row("final sees the new name", "Host gpu\n HostName gpu.example.org\nMatch final host *.example.org\n Port 1001\n",
        "gpu");
    row("final and Host", "Host a\n HostName b\nMatch final all\n User u\nHost b\n Port 7\n", "a");
    row("user of an earlier line", "User bob\nMatch user bob\n Port 99\n", "gpu-1");
    row("all must stand alone", "Match host x all\n User u\n", "gpu-1");
    row("tab and equals", "Host\tgpu-1\n\tPort\t=\t2222\n", "gpu-1");
    row("quoted pattern", "Host \"gpu-1\"\n User \"a b\"\n", "gpu-1");
    row("comment behind a value", "Host gpu-1 # rack 3\n User alice # me\n", "gpu-1");
    row("unknown option", "Host gpu-1\n Crazy yes\n", "gpu-1");
    row("unknown option in another block", "Host other\n Crazy yes\n", "gpu-1");
    row("ignored afterwards", "UseKeychain yes\nIgnoreUnknown UseKeychain\n", "gpu-1");
    row("ignored before", "IgnoreUnknown UseKeychain\nUseKeychain yes\n", "gpu-1");
    row("missing include", "Include no-such-file\nUser u\n", "gpu-1");
    row("same key twice", "IdentityFile /k/a\nHost gpu-1\n IdentityFile /k/a\n IdentityFile /k/b\n", "gpu-1");
    row("empty file", "", "gpu-1");
    row("lines of DOS", "Host gpu-1\r\n\tUser alice\r\n\tHostName 10.0.0.1\r\n\r\nHost *\r\n Port 9\r\n", "gpu-1");
    row("mark of UTF-8", "\xef\xbb\xbfHost gpu-1\n User alice\n", "gpu-1");
    row("single quotes", "Host 'gpu-1'\n User 'a b'\n IdentityFile '/k/a b'\n", "gpu-1");
    row("quotes in the middle", "Host gp\"u-1\"\n User a\"b c\"d\n", "gpu-1");
    row("quoted criteria", "Match host \"gpu-1,x\" originalhost \"gpu*\"\n Port 5\n", "gpu-1");
    row("exec with quotes", "Match exec \"test \\\"%h\\\" = gpu-1\"\n Port 6\n", "gpu-1");
    row("exec with an equals sign", "Match exec=\"test %h = gpu-1\"\n Port 6\n", "gpu-1");
    row("percent in the name", "Host gpu-1\n HostName %h.%%x.org\n", "gpu-1");
    row("variable in a path", "IdentityFile ${HOME}/k\nUserKnownHostsFile ${HOME}/known\n", "gpu-1");
    row("hash of the connection", "HostName 10.0.0.1\nUser bob\nPort 7\nUserKnownHostsFile /known/%C\n", "gpu-1");
    row("form feed at the end", "User bob\f\nPort 7\f\n", "gpu-1");
    row("negated alone", "Host !gpu-2\n User bob\n", "gpu-1");
    row("two values for one word", "HostName a b\n", "gpu-1");
    row("flag in capitals", "ForwardAgent YES\n", "gpu-1");
    row("size of RSA keys", "RequiredRSASize 3072\n", "gpu-1");
    row("remote command none", "RemoteCommand none\nLocalCommand x\nPermitLocalCommand yes\n", "gpu-1");
}

void TestSshConfigReader::corners()
{
    QFETCH(QByteArray, config);
    QFETCH(QString, host);
    write("config", config);
    const auto right = read("ssh", {{}, host, 0}), ours = read("no-such-ssh", {{}, host, 0});
    QCOMPARE(difference(right, ours), QByteArray());
}

void TestSshConfigReader::saysWhatNeedsSsh()
{
    write("config", "CanonicalizeHostname yes\nCanonicalDomains example.org\n");
    const auto ours = read("no-such-ssh", {{}, "gpu1", 0});
    QVERIFY(!ours);
    QVERIFY2(ours.error().text.contains("CanonicalizeHostname, which needs ssh"), qPrintable(ours.error().text));
}

QTEST_GUILESS_MAIN(TestSshConfigReader)
#include "tst_sshconfigreader.moc"
