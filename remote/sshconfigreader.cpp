// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/sshconfigreader.h"

#include "remote/sshconfigwords.h"
#include "remote/sshtokens.h"

#include <QFile>

#include <array>
#include <netdb.h>

namespace lockstep {

namespace {

constexpr int kDepth = 16; // of files that include files (READCONF_MAX_DEPTH)
constexpr qint64 kFileBytes = 16 * 1024 * 1024;

// The usual text of a numeric address; inet_aton takes "1234" for one, and so does ssh. Empty: it is none of this
// family.
QByteArray addressText(const QByteArray& host, int family)
{
    addrinfo hints{};
    hints.ai_family = family;
    hints.ai_flags = AI_NUMERICHOST;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (getaddrinfo(host.constData(), nullptr, &hints, &found) != 0)
        return {};
    std::array<char, NI_MAXHOST> text{};
    const int named =
        getnameinfo(found->ai_addr, found->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
    freeaddrinfo(found);
    return named == 0 ? QByteArray(text.data()) : QByteArray();
}

} // namespace

SshConfigReader::SshConfigReader(Address address, const SshSettings& settings, Deadline deadline, std::stop_token stop)
    : m_address(std::move(address)), m_settings(settings), m_deadline(deadline), m_stop(std::move(stop)),
      m_original(m_address.host.toUtf8()), m_host(m_original)
{
    if (!m_address.user.isEmpty())
        m_values["user"] = m_address.user.toUtf8();
    if (m_address.port != 0)
        m_values["port"] = QByteArray::number(m_address.port);
}

QByteArray SshConfigReader::value(const QByteArray& key, const QByteArray& otherwise) const
{
    const auto found = m_values.find(key);
    return found == m_values.end() ? otherwise : found->second;
}

void SshConfigReader::set(const Place& at, const QByteArray& key, const QByteArray& value)
{
    if (*at.active)
        m_values.emplace(key, value);
}

std::unexpected<Error> SshConfigReader::wrong(const Place& at, const QString& what)
{
    return failure(ErrorCode::BadInput, QStringLiteral("%1 line %2: %3").arg(at.file).arg(at.line).arg(what));
}

Result<QByteArray> SshConfigReader::dump()
{
    if (auto read = readAll(Pass::First); !read)
        return std::unexpected(read.error());
    settleHost();
    const QByteArray canonical = value("canonicalizehostname", "no");
    if (canonical != "no" && canonical != "none" && canonical != "false")
        return failure(ErrorCode::BadInput,
                       QStringLiteral("ssh_config asks for CanonicalizeHostname, which needs ssh to be installed."));
    if (m_wantsFinal) {
        m_values["hostname"] = m_host;
        if (auto read = readAll(Pass::Final); !read)
            return std::unexpected(read.error());
    }
    m_values["hostname"] = m_host;
    if (const auto alias = m_values.find("hostkeyalias"); alias != m_values.end())
        alias->second = alias->second.toLower();
    m_values.emplace("user", Account::own().name.toLocal8Bit());
    m_values.emplace("port", "22");
    if (const auto jump = Address::parse(QString::fromUtf8(value("proxyjump").split(',').last()));
        jump && jump->host.toUtf8() == m_host && (jump->port == 0 ? 22 : jump->port) == value("port").toInt() &&
        (jump->user.isEmpty() || jump->user.toUtf8() == value("user")))
        return failure(ErrorCode::BadInput, QStringLiteral("jumphost loop via %1").arg(jump->host));
    if (m_lists["identityfile"].isEmpty())
        for (const char* name : {"rsa", "ecdsa", "ecdsa_sk", "ed25519", "ed25519_sk", "xmss", "dsa"})
            m_lists["identityfile"] += QByteArray("~/.ssh/id_") + name;
    m_values.emplace("userknownhostsfile", "~/.ssh/known_hosts ~/.ssh/known_hosts2");
    m_values.emplace("globalknownhostsfile", "/etc/ssh/ssh_known_hosts /etc/ssh/ssh_known_hosts2");
    QByteArray text;
    for (const auto& [key, one] : m_values)
        text += key + ' ' + one + '\n';
    for (const auto& [key, all] : m_lists)
        for (const QByteArray& one : all)
            text += key + ' ' + one + '\n';
    return text;
}

// HostName replaces the name, %h in it the name before (ssh.c, main).
void SshConfigReader::settleHost()
{
    if (const QByteArray named = value("hostname"); !named.isEmpty())
        m_host = QByteArray(named).replace("%%", "\1").replace("%h", m_host).replace("\1", "%");
    if (addressText(m_host, AF_UNSPEC).isEmpty()) {
        m_host = m_host.toLower();
        return;
    }
    const QByteArray family = value("addressfamily");
    const QByteArray text = addressText(m_host, family == "inet" ? AF_INET : family == "inet6" ? AF_INET6 : AF_UNSPEC);
    if (!text.isEmpty() && text.toLower() != m_host.toLower()) // its own spelling stays
        m_host = text;
}

Result<void> SshConfigReader::readAll(Pass pass)
{
    m_pass = pass;
    bool active = true;
    if (!m_settings.configFile.isEmpty()) {
        if (m_settings.configFile == QLatin1String("none"))
            return {};
        const auto read = readFile({m_settings.configFile, 0, true, false, &active, 0});
        if (read && !*read)
            return failure(ErrorCode::BadInput,
                           QStringLiteral("The ssh_config %1 cannot be opened.").arg(m_settings.configFile));
        return read ? Result<void>() : std::unexpected(read.error());
    }
    const QString own = Account::own().home + QStringLiteral("/.ssh/config");
    if (auto read = readFile({own, 0, true, false, &active, 0}); !read)
        return std::unexpected(read.error());
    active = true;
    if (auto read = readFile({QStringLiteral("/etc/ssh/ssh_config"), 0, false, false, &active, 0}); !read)
        return std::unexpected(read.error());
    return {};
}

Result<bool> SshConfigReader::readFile(const Place& at)
{
    if (at.depth > kDepth)
        return failure(ErrorCode::BadInput, QStringLiteral("Too many files of ssh_config include each other."));
    QFile file(at.file);
    if (!file.open(QIODevice::ReadOnly))
        return false;
    Place here = at;
    for (const QByteArray& line : file.read(kFileBytes).split('\n')) {
        ++here.line;
        if (auto read = readLine(here, line); !read)
            return std::unexpected(read.error());
    }
    return true;
}

Result<void> SshConfigReader::readLine(const Place& at, QByteArray line)
{
    while (!line.isEmpty() && QByteArray(" \t\r\n\f").contains(line.back()))
        line.chop(1);
    std::optional<QByteArray> rest(line);
    auto keyword = takeConfigWord(rest);
    if (keyword && keyword->isEmpty()) // leading blanks
        keyword = takeConfigWord(rest);
    if (!keyword || keyword->isEmpty() || keyword->startsWith('#'))
        return {};
    const QByteArray name = keyword->toLower();
    if (!rest || rest->isEmpty())
        return wrong(at, QStringLiteral("no argument after keyword \"%1\"").arg(QString::fromUtf8(name)));
    const ConfigKeywordRow* row = configKeyword(name);
    if (row == nullptr) {
        if (matchesPatternList(name, m_ignored, PatternCase::Lower))
            return {};
        return wrong(at, QStringLiteral("bad configuration option: %1").arg(QString::fromUtf8(name)));
    }
    return apply(at, *row, name, *rest);
}

Result<void> SshConfigReader::apply(const Place& at, const ConfigKeywordRow& row, const QByteArray& keyword,
                                    const QByteArray& rest)
{
    const auto words = configWords(rest);
    if (!words)
        return wrong(at, QStringLiteral("invalid quotes"));
    switch (row.kind) {
    case ConfigKeyword::Other:
        return {};
    case ConfigKeyword::Host:
        return applyHost(at, *words);
    case ConfigKeyword::Include:
        return applyInclude(at, *words);
    case ConfigKeyword::Match: {
        const auto matched = matches(at, rest);
        if (!matched)
            return std::unexpected(matched.error());
        *at.active = !at.never && *matched;
        return {};
    }
    case ConfigKeyword::Command: {
        qsizetype begin = 0;
        while (begin < rest.size() && QByteArray(" \t\r\n=").contains(rest[begin]))
            ++begin;
        // A ProxyJump that was given before rules it out, but for `none`.
        if (row.name != QByteArray("proxycommand") || value("proxyjump", "none") == "none")
            set(at, row.name, rest.mid(begin));
        return {};
    }
    case ConfigKeyword::Jump:
        return applyJump(at, rest);
    case ConfigKeyword::Files:
        if (words->contains(QByteArray()))
            return wrong(at, QStringLiteral("keyword %1 empty argument").arg(QString::fromUtf8(keyword)));
        if (!words->isEmpty())
            set(at, row.name, words->join(' '));
        return {};
    case ConfigKeyword::IgnoreUnknown:
    case ConfigKeyword::String:
    case ConfigKeyword::Flag:
    case ConfigKeyword::Choice:
    case ConfigKeyword::Port:
    case ConfigKeyword::Number:
    case ConfigKeyword::Seconds:
    case ConfigKeyword::File:
    case ConfigKeyword::Agent:
        break;
    }
    if (words->isEmpty() || words->first().isEmpty())
        return wrong(at, QStringLiteral("missing argument"));
    if (words->size() > 1)
        return wrong(at, QStringLiteral("keyword %1 extra arguments at end of line").arg(QString::fromUtf8(keyword)));
    return applyOneWord(at, row, words->first());
}

} // namespace lockstep
