// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ansiblessharguments.h"

#include "core/address.h"

#include <QRegularExpression>

namespace lockstep {
namespace {

// ssh's options that have an argument, as of OpenSSH 9.
constexpr char kWithArgument[] = "BbcDEeFIiJLlmOopQRSWw";

struct Option {
    QChar letter;
    QString argument;
};

// "-o", "A=b" and "-oA=b" alike; "-qA" are two. What is no option ends the list, as it does for ssh, and is `rest`.
QList<Option> optionsOf(const QStringList& words, QStringList& rest)
{
    QList<Option> options;
    for (qsizetype i = 0; i < words.size(); ++i) {
        const QString& word = words[i];
        if (!word.startsWith(u'-') || word.size() < 2) {
            rest.append(word); // ssh takes options behind the host too
            continue;
        }
        for (qsizetype at = 1; at < word.size(); ++at) {
            if (!QLatin1String(kWithArgument).contains(word[at])) {
                options.append({word[at], {}});
                continue;
            }
            QString argument = word.mid(at + 1);
            if (argument.isEmpty() && i + 1 < words.size())
                argument = words[++i];
            options.append({word[at], argument});
            break;
        }
    }
    return options;
}

// "ssh -p 2222 -W %h:%p -q ops@gate" is a jump; "nc -X 5 %h %p" is none. Empty: it cannot be written as one.
QString jumpOf(const QString& command)
{
    QStringList rest;
    const QStringList words = quotedWords(command);
    if (words.isEmpty() || words.first().section(u'/', -1) != QLatin1String("ssh"))
        return {};
    QString user, port;
    bool forwards = false;
    const QList<Option> options = optionsOf(words.mid(1), rest);
    for (const Option& option : options) {
        if (option.letter == u'W')
            forwards = option.argument == QLatin1String("%h:%p") || option.argument == QLatin1String("[%h]:%p");
        else if (option.letter == u'p')
            port = option.argument;
        else if (option.letter == u'l')
            user = option.argument;
        else if (QStringLiteral("FJ").contains(option.letter)) // another file, another hop
            return {};
    }
    if (!forwards || rest.size() != 1)
        return {};
    return (user.isEmpty() ? QString() : user + u'@') + rest.first() + (port.isEmpty() ? QString() : u':' + port);
}

void takeJump(AnsibleSshArguments& found, const QStringList& hops, const QString& option)
{
    if (!found.jump.isEmpty()) // the first one counts, as for ssh
        return;
    for (const QString& hop : hops)
        if (!Address::parse(hop)) {
            found.notTaken.append(option);
            return;
        }
    found.jump = hops;
}

void takeFirst(QString& into, const QString& value)
{
    if (into.isEmpty())
        into = value;
}

void takeNamed(AnsibleSshArguments& found, const QString& text) // of -o: "Name=value", "Name value", "Name = value"
{
    static const QRegularExpression kNamed(QStringLiteral("^\\s*([^=\\s]+)\\s*=?\\s*(.*?)\\s*\\z"),
                                           QRegularExpression::DotMatchesEverythingOption);
    const auto match = kNamed.match(text);
    const QString name = match.captured(1).toLower(), value = match.captured(2);
    if (name == QLatin1String("proxyjump"))
        takeJump(found, value == QLatin1String("none") ? QStringList() : value.split(u',', Qt::SkipEmptyParts),
                 QStringLiteral("ProxyJump"));
    else if (name == QLatin1String("proxycommand")) {
        if (value != QLatin1String("none"))
            takeJump(found, {jumpOf(value)}, QStringLiteral("ProxyCommand"));
    } else if (name == QLatin1String("identityfile"))
        takeFirst(found.key, value);
    else if (name == QLatin1String("user"))
        takeFirst(found.user, value);
    else if (name == QLatin1String("port"))
        takeFirst(found.port, value);
    else if (name == QLatin1String("hostname") || name == QLatin1String("hostkeyalias") ||
             name == QLatin1String("certificatefile") || name == QLatin1String("userknownhostsfile") ||
             name == QLatin1String("stricthostkeychecking") || name == QLatin1String("bindaddress") ||
             name == QLatin1String("identitiesonly"))
        found.notTaken.append(match.captured(1));
}

} // namespace

AnsibleSshArguments ansibleSshArguments(const QString& text)
{
    AnsibleSshArguments found;
    QStringList rest;
    const QList<Option> options = optionsOf(quotedWords(text), rest);
    for (const Option& option : options) {
        if (option.letter == u'o')
            takeNamed(found, option.argument);
        else if (option.letter == u'J')
            takeJump(found, option.argument.split(u',', Qt::SkipEmptyParts), QStringLiteral("-J"));
        else if (option.letter == u'i')
            takeFirst(found.key, option.argument);
        else if (option.letter == u'l')
            takeFirst(found.user, option.argument);
        else if (option.letter == u'p')
            takeFirst(found.port, option.argument);
        else if (QStringLiteral("FbBI").contains(option.letter))
            found.notTaken.append(u'-' + option.letter);
    }
    return found;
}

QStringList quotedWords(const QString& line)
{
    QStringList words;
    QString word;
    QChar quote;
    bool any = false;
    for (const QChar c : line) {
        if (!quote.isNull() && c == quote) {
            quote = QChar();
        } else if (quote.isNull() && (c == u'"' || c == u'\'')) {
            quote = c;
            any = true;
        } else if (quote.isNull() && c.isSpace()) {
            if (any || !word.isEmpty())
                words.append(word);
            word.clear();
            any = false;
        } else {
            word += c;
        }
    }
    if (any || !word.isEmpty())
        words.append(word);
    return words;
}

} // namespace lockstep
