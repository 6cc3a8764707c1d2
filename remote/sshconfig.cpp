// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/sshconfig.h"

#include "remote/localprocess.h"
#include "remote/localtransport.h"

#include <QDir>

#include <array>
#include <pwd.h>
#include <unistd.h>

namespace lockstep {

namespace {

constexpr int kNotFound = 127;
constexpr int kSshPort = 22;

struct Account { // ssh takes both from here, not from the environment
    QString name, home;
};

Account account()
{
    passwd entry{};
    passwd* found = nullptr;
    std::array<char, 16384> text{};
    if (getpwuid_r(getuid(), &entry, text.data(), text.size(), &found) == 0 && found != nullptr)
        return {QString::fromLocal8Bit(entry.pw_name), QString::fromLocal8Bit(entry.pw_dir)};
    return {qEnvironmentVariable("USER"), QDir::homePath()};
}

// What ssh -G leaves as it was written.
QString expanded(QString path, const SshHost& host, const QString& typed)
{
    const Account self = account();
    if (path == QLatin1String("~") || path.startsWith(QLatin1String("~/")))
        path.replace(0, 1, self.home);
    QString result;
    for (qsizetype i = 0; i < path.size(); ++i) {
        if (path[i] != u'%' || i + 1 == path.size()) {
            result += path[i];
            continue;
        }
        switch (path[++i].unicode()) {
        case u'd':
            result += self.home;
            break;
        case u'u':
            result += self.name;
            break;
        case u'h':
            result += host.hostName;
            break;
        case u'r':
            result += host.user;
            break;
        case u'n':
            result += typed;
            break;
        case u'p':
            result += QString::number(host.port);
            break;
        default:
            result += path[i];
        }
    }
    return result;
}

QString agentSocket(const QString& value, const SshHost& host, const QString& typed)
{
    if (value == QLatin1String("none"))
        return {};
    if (value.isEmpty() || value == QLatin1String("SSH_AUTH_SOCK"))
        return qEnvironmentVariable("SSH_AUTH_SOCK");
    if (value.startsWith(u'$'))
        return qEnvironmentVariable(value.mid(1).toLocal8Bit().constData());
    return expanded(value, host, typed);
}

} // namespace

QString SshHost::knownHostsName() const
{
    return (hostKeyAlias.isEmpty() ? hostName : hostKeyAlias).toLower();
}

SshHost parseResolved(const QByteArray& output, const QString& typed)
{
    SshHost host;
    QString agent;
    QStringList userFiles, globalFiles;
    for (const QByteArray& line : output.split('\n')) {
        const qsizetype blank = line.indexOf(' ');
        if (blank < 0)
            continue;
        const QByteArray key = line.left(blank).toLower();
        const QString value = QString::fromUtf8(line.mid(blank + 1)).trimmed();
        if (key == "hostname")
            host.hostName = value;
        else if (key == "user")
            host.user = value;
        else if (key == "port")
            host.port = value.toInt();
        else if (key == "identityfile" && value != QLatin1String("none"))
            host.identityFiles += value;
        else if (key == "certificatefile" && value != QLatin1String("none"))
            host.certificateFiles += value;
        else if (key == "identitiesonly")
            host.identitiesOnly = value == QLatin1String("yes");
        else if (key == "identityagent")
            agent = value;
        else if (key == "userknownhostsfile")
            userFiles = value.split(u' ', Qt::SkipEmptyParts);
        else if (key == "globalknownhostsfile")
            globalFiles = value.split(u' ', Qt::SkipEmptyParts);
        else if (key == "hostkeyalias")
            host.hostKeyAlias = value;
        else if (key == "hashknownhosts")
            host.hashKnownHosts = value == QLatin1String("yes");
        else if (key == "addressfamily")
            host.addressFamily = value;
        else if (key == "proxyjump" && value != QLatin1String("none"))
            host.proxyJump = value.split(u',', Qt::SkipEmptyParts);
        else if (key == "proxycommand" && value != QLatin1String("none"))
            host.proxyCommand = value;
    }
    host.identityAgent = agentSocket(agent, host, typed);
    for (QStringList* files : {&host.identityFiles, &host.certificateFiles, &userFiles, &globalFiles})
        for (QString& file : *files)
            file = expanded(file, host, typed);
    host.knownHostsFiles = userFiles + globalFiles;
    host.knownHostsFiles.removeAll(QStringLiteral("none"));
    return host;
}

SshHost defaultsFor(const Address& address)
{
    const Account self = account();
    SshHost host;
    host.hostName = address.host;
    host.user = address.user.isEmpty() ? self.name : address.user;
    host.port = address.port == 0 ? kSshPort : address.port;
    for (const char* name : {"id_rsa", "id_ecdsa", "id_ed25519"})
        host.identityFiles += self.home + QStringLiteral("/.ssh/") + QLatin1String(name);
    host.identityAgent = qEnvironmentVariable("SSH_AUTH_SOCK");
    host.knownHostsFiles = {self.home + QStringLiteral("/.ssh/known_hosts"),
                            QStringLiteral("/etc/ssh/ssh_known_hosts")};
    return host;
}

Result<SshHost> resolveHost(const Address& address, const SshSettings& settings, const QString& node, Deadline deadline,
                            const std::stop_token& stop)
{
    if (address.host.isEmpty() || address.host.startsWith(u'-'))
        return failure(ErrorCode::BadInput,
                       QStringLiteral("\"%1\" is no address that node %2 could have.").arg(address.host, node), node);
    QList<QByteArray> argv{settings.program.toLocal8Bit(), "-G"};
    if (!settings.configFile.isEmpty())
        argv << "-F" << settings.configFile.toLocal8Bit();
    if (!address.user.isEmpty())
        argv << "-l" << address.user.toUtf8();
    if (address.port != 0)
        argv << "-p" << QByteArray::number(address.port);
    argv << "--" << address.host.toUtf8();

    Node here;
    here.name = node;
    LocalTransport local(here);
    const auto finished = local.run(argv, {}, deadline, stop);
    if (!finished)
        return std::unexpected(finished.error());
    if (finished->exitCode == kNotFound)
        return defaultsFor(address);
    if (finished->exitCode != 0)
        return failure(ErrorCode::BadInput,
                       QStringLiteral("ssh does not understand its configuration for %1: %2")
                           .arg(address.text(), QString::fromUtf8(finished->err.trimmed())),
                       node);
    return parseResolved(finished->out, address.host);
}

SshSettings SshSettings::fromEnvironment()
{
    SshSettings settings;
    settings.configFile = qEnvironmentVariable("LOCKSTEP_SSH_CONFIG");
    return settings;
}

} // namespace lockstep
