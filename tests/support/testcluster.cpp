// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/testcluster.h"

#include <QElapsedTimer>
#include <QFile>
#include <QProcess>

#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <vector>

namespace lockstep::test {

namespace {

constexpr char kScript[] = LOCKSTEP_SOURCE_DIR "/tests/support/testcluster.sh";
constexpr char kFolder[] = "LOCKSTEP_CLUSTER";
constexpr int kLimitMs = 60'000;

Ran script(const QStringList& words)
{
    QProcess process;
    process.start(QString::fromLocal8Bit(kScript), words);
    process.closeWriteChannel();
    if (!process.waitForFinished(kLimitMs))
        qFatal("testcluster.sh %s did not end", qPrintable(words.join(u' ')));
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

void mustWork(const QStringList& words)
{
    const Ran ran = script(words);
    if (ran.exitCode != 0)
        qFatal("testcluster.sh %s: %s", qPrintable(words.join(u' ')), ran.err.constData());
}

} // namespace

void TestCluster::enter(int hosts, char** argv)
{
    if (std::getenv(kFolder) != nullptr)
        return;
    const std::string count = std::to_string(hosts),
                      program = QFile::symLinkTarget(QStringLiteral("/proc/self/exe")).toStdString();
    std::vector<const char*> words{kScript, "run", count.c_str(), program.c_str()};
    while (*++argv != nullptr)
        words.push_back(*argv);
    words.push_back(nullptr);
    execv(kScript, const_cast<char* const*>(words.data())); // NOLINT: execv's signature
    std::perror(kScript);
    std::exit(1);
}

QString TestCluster::folder()
{
    return qEnvironmentVariable(kFolder);
}

SshSettings TestCluster::settings()
{
    SshSettings settings;
    settings.configFile = file(QStringLiteral("ssh_config"));
    return settings;
}

Node TestCluster::node(const QString& host, const QString& user)
{
    Node node;
    node.name = host;
    node.address.host = host;
    node.address.user = user;
    return node;
}

Ran TestCluster::exec(const QString& host, const QByteArray& shell)
{
    return script({QStringLiteral("exec"), host, QStringLiteral("sh"), QStringLiteral("-c"), QString::fromUtf8(shell)});
}

void TestCluster::cut(const QStringList& hosts)
{
    mustWork(QStringList(QStringLiteral("cut")) + hosts);
}

void TestCluster::heal(const QStringList& hosts)
{
    mustWork(QStringList(QStringLiteral("heal")) + hosts);
}

void TestCluster::crash(const QString& host)
{
    mustWork({QStringLiteral("crash"), host});
}

void TestCluster::fault(const QString& kind, const QString& host)
{
    mustWork({kind, host});
}

void TestCluster::configureSshd(const QString& host, const QByteArray& lines)
{
    // The same process starts anew: ready when it listens on another socket than before.
    const QByteArray listening("awk '$2 ~ /:0016$/ && $4 == \"0A\" { print $10 }' /proc/net/tcp");
    const QByteArray before = exec(host, listening).out;
    const Ran ran = exec(host, "cat > /etc/ssh/extra.conf <<'END'\n" + lines + "\nEND\nsshd -t && kill -HUP 1");
    if (ran.exitCode != 0)
        qFatal("sshd of %s: %s", qPrintable(host), ran.err.constData());
    QElapsedTimer clock;
    clock.start();
    for (QByteArray now; now.isEmpty() || now == before; now = exec(host, listening).out)
        if (clock.elapsed() > kLimitMs)
            qFatal("sshd of %s did not come back", qPrintable(host));
}

} // namespace lockstep::test
