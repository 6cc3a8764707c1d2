// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/sshconfig.h"

#include "remote/localprocess.h"
#include "remote/localtransport.h"
#include "remote/sshconfigreader.h"
#include "remote/sshtokens.h"

#include <algorithm>

namespace lockstep {

namespace {

constexpr int kNotFound = 127;

QString agentSocket(const QString& value, const SshHost& host, const QString& typed)
{
    if (value == QLatin1String("none"))
        return {};
    if (value.isEmpty() || value == QLatin1String("SSH_AUTH_SOCK"))
        return qEnvironmentVariable("SSH_AUTH_SOCK");
    if (value.startsWith(u'$') && !value.startsWith(QLatin1String("${")))
        return qEnvironmentVariable(value.mid(1).toLocal8Bit().constData());
    return expandedPath(value, host, typed);
}

} // namespace

QString SshHost::knownHostsName() const
{
    return (hostKeyAlias.isEmpty() ? hostName : hostKeyAlias).toLower();
}

QStringList SshHost::unused(NotHonoured::Matters when) const
{
    QStringList sentences;
    for (const NotHonoured& one : notHonoured)
        if (one.matters == when)
            sentences += one.sentence;
    return sentences;
}

namespace {

constexpr int kLeastRsaBits = 1024; // what ssh and libssh ask for anyway
constexpr char kUsualMethods[] = "publickey,keyboard-interactive,password";

bool isYes(const QString& value) // ssh -G writes either, by option
{
    return value == QLatin1String("yes") || value == QLatin1String("true");
}

// The lines of ssh -G, as they are: nothing is expanded yet.
struct Dump {
    SshHost host;
    QString agent, proxyCommand;
    QStringList userFiles, globalFiles, jumps;
    QString preferred = QLatin1String(kUsualMethods);
    QStringList refusedMethods;
    bool permitsLocalCommand = false, hasLocalCommand = false;

    void take(const QByteArray& key, const QString& value);
    void takeMore(const QByteArray& key, const QString& value);
};

void Dump::take(const QByteArray& key, const QString& value)
{
    const bool none = value == QLatin1String("none");
    if (key == "hostname")
        host.hostName = value;
    else if (key == "user")
        host.user = value;
    else if (key == "port")
        host.port = value.toInt();
    else if (key == "identityfile" && !none)
        host.identityFiles += value;
    else if (key == "certificatefile" && !none)
        host.certificateFiles += value;
    else if (key == "identitiesonly")
        host.identitiesOnly = isYes(value);
    else if (key == "identityagent")
        agent = value;
    else if (key == "userknownhostsfile")
        userFiles = value.split(u' ', Qt::SkipEmptyParts);
    else if (key == "globalknownhostsfile")
        globalFiles = value.split(u' ', Qt::SkipEmptyParts);
    else if (key == "hostkeyalias")
        host.hostKeyAlias = value;
    else if (key == "hashknownhosts")
        host.hashKnownHosts = isYes(value);
    else if (key == "addressfamily")
        host.addressFamily = value;
    else if (key == "proxyjump" && !none)
        jumps = value.split(u',', Qt::SkipEmptyParts);
    else if (key == "proxycommand" && !none)
        proxyCommand = value;
    else
        takeMore(key, value);
}

void Dump::takeMore(const QByteArray& key, const QString& value)
{
    const bool none = value == QLatin1String("none");
    if (key == "proxyusefdpass")
        host.proxyUseFdpass = isYes(value);
    else if (key == "bindaddress")
        host.bindAddress = value;
    else if (key == "bindinterface")
        host.bindInterface = value;
    else if (key == "connecttimeout")
        host.connectTimeoutS = value.toInt(); // none: 0
    else if (key == "preferredauthentications")
        preferred = value;
    else if (key == "pubkeyauthentication" && value == QLatin1String("false"))
        refusedMethods += QStringLiteral("publickey");
    else if (key == "pubkeyauthentication" && value == QLatin1String("no"))
        refusedMethods += QStringLiteral("publickey");
    else if (key == "kbdinteractiveauthentication" && !isYes(value))
        refusedMethods += QStringLiteral("keyboard-interactive");
    else if (key == "passwordauthentication" && !isYes(value))
        refusedMethods += QStringLiteral("password");
    else if (key == "numberofpasswordprompts")
        host.passwordPrompts = value.toInt();
    else if (key == "batchmode")
        host.batchMode = isYes(value);
    else if (key == "stricthostkeychecking")
        host.acceptNewHostKeys = value == QLatin1String("accept-new") || value == QLatin1String("false") ||
                                 value == QLatin1String("no") || value == QLatin1String("off");
    else if (key == "ciphers")
        host.ciphers = value;
    else if (key == "macs")
        host.macs = value;
    else if (key == "kexalgorithms")
        host.kexAlgorithms = value;
    else if (key == "hostkeyalgorithms")
        host.hostKeyAlgorithms = value;
    else if (key == "pubkeyacceptedalgorithms" || key == "pubkeyacceptedkeytypes")
        host.publicKeyAlgorithms = value;
    else if (key == "revokedhostkeys" && !none)
        host.revokedHostKeys = value;
    else if (key == "requiredrsasize")
        host.requiredRsaBits = value.toInt() > kLeastRsaBits ? value.toInt() : 0;
    else if (key == "permitlocalcommand")
        permitsLocalCommand = isYes(value);
    else if (key == "localcommand" && !none)
        hasLocalCommand = true;
    else if (const auto unused = notHonoured(key, value); unused && !host.notHonoured.contains(*unused))
        host.notHonoured += *unused;
}

} // namespace

Result<SshHost> parseResolved(const QByteArray& output, const QString& typed)
{
    Dump dump;
    for (const QByteArray& line : output.split('\n'))
        if (const qsizetype blank = line.indexOf(' '); blank > 0)
            dump.take(line.left(blank).toLower(), QString::fromUtf8(line.mid(blank + 1)).trimmed());

    SshHost& host = dump.host;
    if (dump.permitsLocalCommand && dump.hasLocalCommand)
        host.notHonoured += {NotHonoured::Matters::Always,
                             QStringLiteral("LocalCommand: no command is run here once the connection stands")};
    std::ranges::sort(host.notHonoured, {}, &NotHonoured::sentence); // ssh's own order differs from ours
    host.identityAgent = agentSocket(dump.agent, host, typed);
    for (QStringList* files : {&host.identityFiles, &host.certificateFiles, &dump.userFiles, &dump.globalFiles})
        for (QString& file : *files)
            file = expandedPath(file, host, typed);
    host.knownHostsFiles = dump.userFiles + dump.globalFiles;
    host.knownHostsFiles.removeAll(QStringLiteral("none"));
    host.methods.clear();
    for (const QString& method : dump.preferred.split(u',', Qt::SkipEmptyParts))
        if (QString::fromLatin1(kUsualMethods).split(u',').contains(method) && !dump.refusedMethods.contains(method))
            host.methods += method;
    for (const QString& jump : std::as_const(dump.jumps)) {
        const auto expanded = expandedProxy(jump, host, typed);
        if (!expanded)
            return std::unexpected(expanded.error());
        host.proxyJump += *expanded;
    }
    if (!dump.proxyCommand.isEmpty()) {
        const auto expanded = expandedProxy(dump.proxyCommand, host, typed);
        if (!expanded)
            return std::unexpected(expanded.error());
        host.proxyCommand = *expanded;
    }
    return std::move(dump.host);
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
    if (finished->exitCode == kNotFound) {
        const auto dump = SshConfigReader(address, settings, deadline, stop).dump();
        if (!dump)
            return failure(dump.error().code,
                           QStringLiteral("ssh_config for %1: %2").arg(address.text(), dump.error().text), node);
        return parseResolved(*dump, address.host);
    }
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
