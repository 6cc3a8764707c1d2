// SPDX-License-Identifier: GPL-3.0-or-later
// Host, Include and ProxyJump lines (readconf.c).
#include "remote/hostpattern.h"
#include "remote/sshconfigreader.h"
#include "remote/sshtokens.h"

#include <glob.h>

namespace lockstep {

namespace {

QByteArray home()
{
    return Account::own().home.toLocal8Bit();
}

} // namespace

Result<void> SshConfigReader::applyHost(const Place& at, const QList<QByteArray>& words)
{
    *at.active = false;
    for (QByteArray pattern : words) {
        if (pattern.isEmpty())
            return wrong(at, QStringLiteral("keyword host empty argument"));
        if (at.never)
            return {};
        const bool negated = pattern.startsWith('!');
        if (negated)
            pattern.remove(0, 1);
        if (!matchesHostPattern(pattern, m_host))
            continue;
        *at.active = !negated;
        if (negated)
            return {};
    }
    return {};
}

Result<void> SshConfigReader::applyInclude(const Place& at, const QList<QByteArray>& words)
{
    const bool active = *at.active;
    for (QByteArray path : words) {
        if (path.isEmpty())
            return wrong(at, QStringLiteral("keyword include empty argument"));
        if (path.startsWith('~') && !at.ofUser)
            return wrong(at, QStringLiteral("bad include path %1").arg(QString::fromLocal8Bit(path)));
        if (path.startsWith("~/"))
            path = home() + path.mid(1);
        else if (!path.startsWith('/') && !path.startsWith('~'))
            path = (at.ofUser ? home() + "/.ssh/" : QByteArray("/etc/ssh/")) + path;
        glob_t found{};
        const int globbed = ::glob(path.constData(), GLOB_TILDE, nullptr, &found);
        QList<QByteArray> files;
        for (std::size_t i = 0; globbed == 0 && i < found.gl_pathc; ++i)
            files += found.gl_pathv[i];
        globfree(&found);
        if (globbed != 0 && globbed != GLOB_NOMATCH)
            return wrong(at, QStringLiteral("%1 cannot be read").arg(QString::fromLocal8Bit(path)));
        for (const QByteArray& file : std::as_const(files)) {
            const auto read =
                readFile({QString::fromLocal8Bit(file), 0, at.ofUser, at.never || !active, at.active, at.depth + 1});
            *at.active = active; // what is included changes nothing outside itself
            if (!read)
                return std::unexpected(read.error());
        }
    }
    return {};
}

Result<void> SshConfigReader::applyJump(const Place& at, const QByteArray& rest)
{
    QByteArray hosts = rest;
    while (!hosts.isEmpty() && QByteArray(" \t\r\n=").contains(hosts.front()))
        hosts.remove(0, 1);
    if (const qsizetype comment = hosts.indexOf('#'); comment >= 0)
        hosts.truncate(comment);
    hosts = hosts.trimmed();
    const bool none = hosts.toLower() == "none";
    for (const QByteArray& hop : hosts.split(','))
        if (!none && !Address::parse(QString::fromUtf8(hop)))
            return wrong(at, QStringLiteral("invalid ProxyJump"));
    if (none)
        hosts = "none";
    else if (const auto last = Address::parse(QString::fromUtf8(hosts.split(',').last()))) { // as ssh -G writes it
        const QByteArray host = last->host.toUtf8();
        hosts.truncate(hosts.lastIndexOf(',') + 1);
        hosts += last->user.isEmpty() ? QByteArray() : last->user.toUtf8() + '@';
        hosts += host.contains(':') ? '[' + host + ']' : host;
        hosts += last->port == 0 || last->port == 22 ? QByteArray() : ':' + QByteArray::number(last->port);
    }
    if (!m_values.contains("proxycommand"))
        set(at, "proxyjump", hosts);
    return {};
}

} // namespace lockstep
