// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/address.h"

#include <arpa/inet.h>

#include <algorithm>

namespace lockstep {
namespace {

constexpr int kMaxPort = 65535;
constexpr qsizetype kMaxHost = 255; // RFC 1035

bool isAsciiDigit(QChar c)
{
    return c >= u'0' && c <= u'9'; // QChar::isDigit takes digits of every script
}

bool isIpv6(const QString& text)
{
    in6_addr bytes;
    return inet_pton(AF_INET6, text.section(u'%', 0, 0).toLatin1().constData(), &bytes) == 1; // behind %: the zone
}

} // namespace

Result<int> parsePortDigits(const QString& text, const QString& what)
{
    if (text.isEmpty())
        return failure(ErrorCode::BadInput, what + QStringLiteral(" is empty; a port is a number from 1 to 65535."));
    if (text.contains(u' ') || text.contains(u'\t') || text != text.trimmed())
        return failure(ErrorCode::BadInput,
                       what + QStringLiteral(" \"%1\" contains a blank; write the digits alone.").arg(text));
    const QStringView digits = text.startsWith(u'-') ? QStringView(text).mid(1) : QStringView(text);
    if (digits.isEmpty() || !std::all_of(digits.begin(), digits.end(), isAsciiDigit))
        return failure(
            ErrorCode::BadInput,
            what + QStringLiteral(" \"%1\" is no plain number; write it with the digits 0 to 9 only.").arg(text));
    bool fits = false;
    const qlonglong port = text.toLongLong(&fits);
    if (text.startsWith(u'-'))
        return failure(ErrorCode::BadInput, what + QStringLiteral(" %1 is negative; ports are 1 to 65535.").arg(text));
    if (!fits || port > kMaxPort)
        return failure(ErrorCode::BadInput, what + QStringLiteral(" %1 is too large; ports end at 65535.").arg(text));
    return static_cast<int>(port);
}

QString Address::text() const
{
    QString out = user.isEmpty() ? QString() : user + u'@';
    if (port == 0)
        return out + host;
    return out + (host.contains(u':') ? u'[' + host + u']' : host) + u':' + QString::number(port);
}

Result<Address> Address::parse(const QString& text)
{
    const auto refuse = [&](const QString& why) {
        return failure(
            ErrorCode::BadInput,
            QStringLiteral(
                "\"%1\" is no address: %2. Write it as for ssh: gpu1, alice@10.0.0.11:2222, [2001:db8::9]:2222.")
                .arg(text, why.endsWith(u'.') ? why.chopped(1) : why));
    };
    QString rest = text.trimmed();
    if (rest.startsWith(QLatin1String("ssh://")))
        rest = rest.mid(6);
    if (rest.endsWith(u'/'))
        rest.chop(1);
    if (rest.isEmpty())
        return refuse(QStringLiteral("it is empty"));
    Address address;
    if (const qsizetype at = rest.lastIndexOf(u'@'); at >= 0) {
        address.user = rest.left(at);
        rest = rest.mid(at + 1);
        if (address.user.isEmpty())
            return refuse(QStringLiteral("no user stands before the @"));
    }
    QString port;
    bool hasPort = false;
    if (rest.startsWith(u'[')) {
        const qsizetype close = rest.indexOf(u']');
        if (close < 0)
            return refuse(QStringLiteral("the bracket is not closed"));
        address.host = rest.mid(1, close - 1);
        const QString after = rest.mid(close + 1);
        if (!after.isEmpty() && !after.startsWith(u':'))
            return refuse(QStringLiteral("only :PORT may follow the bracket"));
        hasPort = !after.isEmpty();
        port = after.mid(1);
    } else if (rest.count(u':') == 1) {
        hasPort = true;
        address.host = rest.section(u':', 0, 0);
        port = rest.section(u':', 1);
    } else {
        address.host = rest; // a name, IPv4, or IPv6 without brackets and port
    }
    if (hasPort) {
        const Result<int> number = parsePortDigits(port, QStringLiteral("the port"));
        if (!number)
            return refuse(number.error().text);
        if (*number == 0)
            return refuse(QStringLiteral("nothing listens on port 0"));
        address.port = *number;
    }
    if (address.host.isEmpty())
        return refuse(QStringLiteral("the host is missing"));
    if (address.host.contains(u':') && !isIpv6(address.host))
        return refuse(QStringLiteral("\"%1\" is no IPv6 address").arg(address.host));
    if (address.host.size() > kMaxHost)
        return refuse(QStringLiteral("the host is longer than 255 characters"));
    // ssh would read a leading - as an option, and nothing of a shell's may stand in a name.
    for (const QString& part : {address.host, address.user}) {
        if (part.startsWith(u'-'))
            return refuse(QStringLiteral("neither user nor host may begin with -"));
        const bool odd = std::any_of(part.begin(), part.end(), [](QChar c) {
            return c.isSpace() || c.unicode() < 0x20 || c.unicode() == 0x7f ||
                   QStringLiteral("\"'`\\$&;|<>(){}*?!#,/").contains(c);
        });
        if (odd)
            return refuse(QStringLiteral("\"%1\" holds a blank or a sign that no host name has").arg(part));
    }
    return address;
}

} // namespace lockstep
