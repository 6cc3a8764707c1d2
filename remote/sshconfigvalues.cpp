// SPDX-License-Identifier: GPL-3.0-or-later
// The values of keywords that take one word; what is read stands in sshconfigreader.h.
#include "remote/sshconfigreader.h"
#include "remote/sshconfigwords.h"

#include <arpa/inet.h>
#include <netdb.h>

namespace lockstep {

Result<void> SshConfigReader::applyOneWord(const Place& at, const ConfigKeywordRow& row, const QByteArray& word)
{
    const auto bad = [&] {
        return wrong(at,
                     QStringLiteral("\"%1\" is no value for %2").arg(QString::fromUtf8(word), QLatin1String(row.name)));
    };
    switch (row.kind) {
    case ConfigKeyword::File:
        if (*at.active && !m_lists[row.name].contains(word))
            m_lists[row.name] += word;
        return {};
    case ConfigKeyword::IgnoreUnknown:
        if (*at.active && m_ignored.isEmpty())
            m_ignored = word;
        return {};
    case ConfigKeyword::Flag:
        if (!QByteArray(" yes no true false ").contains(' ' + word.toLower() + ' '))
            return bad();
        set(at, row.name, word.toLower());
        return {};
    case ConfigKeyword::Choice:
        if (!QByteArray(row.choices).contains(' ' + word.toLower() + ' '))
            return bad();
        set(at, row.name, word.toLower());
        return {};
    case ConfigKeyword::Port: {
        bool number = false;
        int port = word.toInt(&number);
        if (const servent* service = number ? nullptr : getservbyname(word.constData(), "tcp"); service != nullptr)
            port = ntohs(static_cast<uint16_t>(service->s_port));
        if (port < 1 || port > 65535)
            return bad();
        set(at, row.name, QByteArray::number(port));
        return {};
    }
    case ConfigKeyword::Number: {
        bool number = false;
        const int given = word.toInt(&number);
        if (!number || given < 0)
            return bad();
        set(at, row.name, QByteArray::number(given));
        return {};
    }
    case ConfigKeyword::Seconds: {
        const auto seconds = configSeconds(word);
        if (!seconds)
            return bad();
        if (*seconds >= 0) // none leaves it open, as if it were not there
            set(at, row.name, QByteArray::number(*seconds));
        return {};
    }
    case ConfigKeyword::Agent:
        if (word.startsWith('$') && !word.startsWith("${") && word.size() == 1)
            return bad();
        set(at, row.name, word);
        return {};
    case ConfigKeyword::String:
        set(at, row.name, word);
        return {};
    case ConfigKeyword::Host: // apply() has read these: they are no one word
    case ConfigKeyword::Match:
    case ConfigKeyword::Include:
    case ConfigKeyword::Files:
    case ConfigKeyword::Command:
    case ConfigKeyword::Jump:
    case ConfigKeyword::Other:
        return {};
    }
    return {};
}

} // namespace lockstep
