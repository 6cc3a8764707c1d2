// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/noderange.h"

#include <QRegularExpression>

#include <algorithm>

namespace lockstep {
namespace {

constexpr qsizetype kMostNames = 4096; // of one text: a slip of the finger must not make a million nodes
constexpr int kMostBrackets = 8;       // of one name; Slurm itself writes two at most
constexpr int kMostShown = 60;         // characters of what was not understood

struct Part { // text before a bracket, and the bracket's list
    qsizetype open = -1, close = -1;
};

// The first bracket that holds a range; an IPv6 address in brackets is none.
Result<Part> firstBracket(const QString& text)
{
    for (qsizetype open = text.indexOf(u'['); open >= 0; open = text.indexOf(u'[', open + 1)) {
        const qsizetype close = text.indexOf(u']', open);
        if (close < 0)
            return failure(ErrorCode::BadInput, QStringLiteral("\"%1\": the bracket is not closed.").arg(text));
        if (!text.mid(open, close - open).contains(u':'))
            return Part{open, close};
    }
    return Part{};
}

Result<QStringList> numbersOf(const QString& list, const QString& whole)
{
    static const QRegularExpression kItem(QStringLiteral("^([0-9]{1,9})(?:-([0-9]{1,9})(?:/([0-9]{1,4}))?)?\\z"));
    QStringList numbers;
    const QStringList items = list.split(u',');
    for (const QString& item : items) {
        const auto match = kItem.match(item.trimmed());
        if (!match.hasMatch())
            return failure(ErrorCode::BadInput,
                           QStringLiteral("\"%1\": \"%2\" is no range; write [1-8] or [01-03,07].").arg(whole, item));
        const QString first = match.captured(1);
        const qlonglong from = first.toLongLong();
        const qlonglong to = match.captured(2).isEmpty() ? from : match.captured(2).toLongLong();
        if (to < from)
            return failure(ErrorCode::BadInput,
                           QStringLiteral("\"%1\": the range %2 runs backwards.").arg(whole, item));
        const qlonglong step = match.captured(3).isEmpty() ? 1 : match.captured(3).toLongLong();
        if (step == 0)
            return failure(ErrorCode::BadInput, QStringLiteral("\"%1\": the step of %2 is 0.").arg(whole, item));
        if ((to - from) / step + numbers.size() >= kMostNames)
            return failure(ErrorCode::BadInput,
                           QStringLiteral("\"%1\" stands for more than %2 names.").arg(whole).arg(kMostNames));
        const int width = first.startsWith(u'0') ? static_cast<int>(first.size()) : 0;
        for (qlonglong n = from; n <= to; n += step)
            numbers.append(QStringLiteral("%1").arg(n, width, 10, QLatin1Char('0')));
    }
    return numbers;
}

} // namespace

Result<QStringList> expandRange(const QString& text)
{
    QStringList names{text};
    if (text.count(u'[') > kMostBrackets)
        return failure(ErrorCode::BadInput,
                       QStringLiteral("\"%1\" has more brackets than a name has.").arg(text.left(kMostShown)));
    while (true) { // one bracket of each name a round
        QStringList next;
        bool any = false;
        for (const QString& name : std::as_const(names)) {
            const Result<Part> part = firstBracket(name);
            if (!part)
                return std::unexpected(part.error());
            if (part->open < 0) {
                next.append(name);
                continue;
            }
            any = true;
            const Result<QStringList> numbers = numbersOf(name.mid(part->open + 1, part->close - part->open - 1), text);
            if (!numbers)
                return std::unexpected(numbers.error());
            for (const QString& number : *numbers)
                next.append(name.left(part->open) + number + name.mid(part->close + 1));
            if (next.size() > kMostNames)
                return failure(ErrorCode::BadInput,
                               QStringLiteral("\"%1\" stands for more than %2 names.").arg(text).arg(kMostNames));
        }
        names = next;
        if (!any)
            return names;
    }
}

namespace {

template <typename IsCut>
QStringList cutOutsideBrackets(const QString& text, IsCut isCut)
{
    QStringList parts;
    QString part;
    int depth = 0;
    for (const QChar c : text) {
        if (c == u'[')
            ++depth;
        if (c == u']')
            depth = std::max(0, depth - 1);
        if (depth == 0 && isCut(c)) {
            parts.append(part);
            part.clear();
        } else {
            part += c;
        }
    }
    parts.append(part);
    parts.removeIf([](const QString& one) { return one.trimmed().isEmpty(); });
    return parts;
}

} // namespace

QStringList splitBlanks(const QString& text)
{
    return cutOutsideBrackets(text, [](QChar c) { return c.isSpace(); });
}

QStringList splitCommas(const QString& text)
{
    return cutOutsideBrackets(text, [](QChar c) { return c == u','; });
}

QStringList splitList(const QString& text)
{
    return cutOutsideBrackets(text, [](QChar c) { return c == u',' || c.isSpace(); });
}

QString nodeNameFor(const Address& address)
{
    constexpr int kSshPort = 22;
    QString name = address.host;
    name.replace(u':', u'-').replace(u'%', u'-'); // IPv6: names become file names
    while (name.startsWith(u'-') || name.startsWith(u'.'))
        name = u'v' + name; // ::1 -> v--1
    if (address.port != 0 && address.port != kSshPort)
        name += QStringLiteral("-%1").arg(address.port);
    return name;
}

Result<QList<Node>> nodesFromText(const QString& text)
{
    QList<Node> nodes;
    const QStringList parts = splitList(text);
    for (const QString& part : parts) {
        const Result<QStringList> expanded = expandRange(part);
        if (!expanded)
            return std::unexpected(expanded.error());
        for (const QString& one : *expanded) {
            const Result<Address> address = Address::parse(one);
            if (!address)
                return std::unexpected(address.error());
            Node node;
            node.address = *address;
            node.name = nodeNameFor(*address);
            if (const Result<void> named = checkNodeName(node.name); !named)
                return std::unexpected(named.error());
            if (std::any_of(nodes.begin(), nodes.end(), [&](const Node& other) { return other.name == node.name; }))
                return failure(ErrorCode::BadInput, QStringLiteral("%1 is named twice.").arg(node.name));
            nodes.append(node);
        }
    }
    if (nodes.isEmpty())
        return failure(ErrorCode::BadInput,
                       QStringLiteral("No node is named. Write what ssh takes: gpu1, alice@10.0.0.11:2222, gpu[1-8]."));
    return nodes;
}

} // namespace lockstep
