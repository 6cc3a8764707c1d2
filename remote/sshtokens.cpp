// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/sshtokens.h"

#include "remote/sshconfig.h"

#include <QCryptographicHash>
#include <QDir>
#include <QSysInfo>

#include <algorithm>
#include <array>
#include <pwd.h>
#include <unistd.h>

namespace lockstep {

namespace {

QString hostToken(QChar token, const SshHost& host, const QString& typed)
{
    switch (token.unicode()) {
    case u'%':
        return QStringLiteral("%");
    case u'h':
        return host.hostName;
    case u'k':
        return host.hostKeyAlias.isEmpty() ? typed : host.hostKeyAlias;
    case u'n':
        return typed;
    case u'p':
        return QString::number(host.port);
    case u'r':
        return host.user;
    default:
        return {};
    }
}

// The characters that OpenSSH refuses in names which go into a command (ssh.c, valid_hostname and valid_ruser).
bool harmless(const QString& name)
{
    return !name.startsWith(u'-') && !name.endsWith(u'\\') && std::ranges::none_of(name, [](QChar c) {
        return c.unicode() < 0x20 || c.unicode() == 0x7f || c.isSpace() ||
               QStringLiteral("'`\"$\\;&<>|(){}").contains(c);
    });
}

// Of "${HOME}" the name; empty: there stands none, or one that is not set, which then stays as it is written.
QString variableAt(const QString& text, qsizetype at)
{
    const qsizetype end = text.indexOf(u'}', at);
    if (!QStringView(text).mid(at).startsWith(QLatin1String("${")) || end < 0)
        return {};
    const QString name = text.mid(at + 2, end - at - 2);
    return qEnvironmentVariableIsSet(name.toLocal8Bit().constData()) ? name : QString();
}

} // namespace

Account Account::own()
{
    passwd entry{};
    passwd* found = nullptr;
    std::array<char, 16384> text{};
    if (getpwuid_r(getuid(), &entry, text.data(), text.size(), &found) == 0 && found != nullptr)
        return {QString::fromLocal8Bit(entry.pw_name), QString::fromLocal8Bit(entry.pw_dir)};
    return {qEnvironmentVariable("USER"), QDir::homePath()};
}

QString expandedPath(QString path, const SshHost& host, const QString& typed)
{
    const Account self = Account::own();
    if (path == QLatin1String("~") || path.startsWith(QLatin1String("~/")))
        path.replace(0, 1, self.home);
    QString result;
    for (qsizetype i = 0; i < path.size(); ++i) {
        if (const QString variable = variableAt(path, i); !variable.isEmpty()) {
            result += qEnvironmentVariable(variable.toLocal8Bit().constData());
            i += variable.size() + 2; // "${" and, by the loop, "}"
            continue;
        }
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
        case u'i':
            result += QString::number(getuid());
            break;
        case u'l':
            result += QSysInfo::machineHostName();
            break;
        case u'L':
            result += QSysInfo::machineHostName().section(u'.', 0, 0);
            break;
        case u'C': // ssh.c, ssh_connection_hash, before OpenSSH 9.6 added the jump host
            result += QString::fromLatin1(
                QCryptographicHash::hash(
                    (QSysInfo::machineHostName() + host.hostName + QString::number(host.port) + host.user).toUtf8(),
                    QCryptographicHash::Sha1)
                    .toHex());
            break;
        default:
            result += hostToken(path[i], host, typed);
        }
    }
    return result;
}

Result<QString> expandedProxy(const QString& words, const SshHost& host, const QString& typed)
{
    QString result;
    for (qsizetype i = 0; i < words.size(); ++i) {
        if (words[i] != u'%' || i + 1 == words.size()) {
            result += words[i];
            continue;
        }
        const QString value = hostToken(words[++i], host, typed);
        if (words[i] != u'%' && !harmless(value))
            return failure(ErrorCode::BadInput,
                           QStringLiteral("\"%1\" holds characters that must not go into the command `%2` of "
                                          "ssh_config.")
                               .arg(value, words));
        result += value;
    }
    return result;
}

} // namespace lockstep
