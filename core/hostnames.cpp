// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hostnames.h"

#include "core/hosttable.h"
#include "core/nodeaddress.h"
#include "core/noderange.h"

#include <QRegularExpression>
#include <QSet>

#include <algorithm>

namespace lockstep {
namespace {

QStringList fieldsOf(const QString& line)
{
    return splitBlanks(line.section(u'#', 0, 0));
}

bool isMulticast(const QString& address)
{
    const int first = address.section(u'.', 0, 0).toInt(); // 0: IPv6
    return address.startsWith(QLatin1String("ff"), Qt::CaseInsensitive) || (first >= 224 && first <= 239) ||
           address == QLatin1String("255.255.255.255") || address.startsWith(QLatin1String("fe00::"));
}

bool isNumber(const QString& text)
{
    return std::all_of(text.begin(), text.end(), [](QChar c) { return c >= u'0' && c <= u'9'; });
}

QString takeAttributes(Node& node, const QString& list)
{
    const QStringList attributes = splitCommas(list);
    for (const QString& attribute : attributes) {
        const QString name = attribute.section(u'=', 0, 0), value = attribute.section(u'=', 1);
        if (name == QLatin1String("slots") && isNumber(value)) {
            node.slots_ = std::clamp(value.toInt(), 0, kMostSlots);
            continue;
        }
        const QString word = value.isEmpty() ? name : name + u'-' + value;
        const QStringList tag = tagsAmong(word);
        if (tag != QStringList{word})
            return QStringLiteral("\"%1\" can't be a tag; letters, digits and _ . : + - can stand in one")
                .arg(attribute);
        if (!node.tags.contains(word))
            node.tags.append(word);
    }
    return {};
}

Node* nodeFor(ImportCollector& found, const QString& host, QString& problem)
{
    const Result<Address> address = Address::parse(host);
    const Result<Node> node = address ? nodeNamed(nodeNameFor(*address), *address) : std::unexpected(address.error());
    if (!node) {
        problem = node.error().text;
        return nullptr;
    }
    if (!found.find(node->name))
        found.add(*node);
    return found.find(node->name);
}

} // namespace

bool isHostsFile(const QStringList& lines)
{
    bool any = false;
    for (const QString& line : lines) {
        const QStringList fields = fieldsOf(line);
        if (fields.isEmpty())
            continue;
        if (fields.size() < 2 || !isNumericAddress(fields.first()))
            return false;
        for (const QString& name : fields.mid(1))
            if (isNumber(name) || name.contains(u'=') || name.contains(u',') || isNumericAddress(name))
                return false;
        any = true;
    }
    return any;
}

Result<ImportedNodes> importHostsFile(const QStringList& lines)
{
    ImportCollector found;
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const QStringList fields = fieldsOf(lines[i]);
        if (fields.isEmpty() || isLoopbackAddress(fields[0]) || isMulticast(fields[0]))
            continue;
        Address address;
        address.host = fields[0];
        const Result<Node> node = nodeNamed(fields[1], address); // what follows are other names of it
        if (!node)
            found.say(static_cast<int>(i) + 1, node.error().text);
        else if (found.find(node->name) && found.find(node->name)->address != node->address)
            found.say(
                static_cast<int>(i) + 1,
                QStringLiteral("%1 has the address %2 already").arg(node->name, found.find(node->name)->address.host));
        else if (!found.find(node->name))
            found.add(*node);
    }
    return found.finish(QStringLiteral("The hosts file"));
}

// More than one attribute, one of them a mere word: no hostfile has that. But "gpu1 gpu2,gpu3" are hosts.
bool isGenders(const QStringList& lines)
{
    static const QRegularExpression kAttributes(QStringLiteral(
        "^[A-Za-z_][^\\s=,:\\[\\]\"']*(=[^\\s,\"']*)?(,[A-Za-z_][^\\s=,:\\[\\]\"']*(=[^\\s,\"']*)?)*\\z"));
    static const QRegularExpression kWord(QStringLiteral("(^|,)([^=,]+)(?=,|\\z)"));
    static const QRegularExpression kNumber(QStringLiteral("[0-9\\[\\],-]+\\z")); // at a host's end
    bool surely = false;
    QSet<QString> hosts, words;
    for (const QString& line : lines) {
        const QStringList fields = fieldsOf(line);
        if (fields.isEmpty())
            continue;
        if (fields.size() > 2 || fields[0].contains(QRegularExpression(QStringLiteral("[=:]|,\\z"))) ||
            (fields.size() == 2 && !kAttributes.match(fields[1]).hasMatch()))
            return false;
        hosts.insert(QString(fields[0]).remove(kNumber));
        for (auto it = kWord.globalMatch(fields.value(1)); it.hasNext();)
            words.insert(it.next().captured(2));
        surely = surely || (fields.size() == 2 && fields[1].contains(u',') && kWord.match(fields[1]).hasMatch());
    }
    const bool hostsOnly = std::any_of(words.begin(), words.end(), [&](const QString& word) {
        return word.back().isDigit() && hosts.contains(QString(word).remove(kNumber));
    });
    return surely && !hostsOnly;
}

Result<ImportedNodes> importGenders(const QStringList& lines)
{
    ImportCollector found;
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const QStringList fields = fieldsOf(lines[i]);
        QString problem; // the first of the line
        const auto tell = [&problem](const QString& text) {
            if (problem.isEmpty())
                problem = text;
        };
        const QStringList parts = fields.isEmpty() ? QStringList() : splitCommas(fields[0]);
        for (const QString& part : parts) {
            const Result<QStringList> names = expandRange(part);
            if (!names)
                tell(names.error().text);
            for (const QString& name : names.value_or(QStringList())) {
                QString refused;
                if (Node* node = nodeFor(found, name, refused); node && fields.size() > 1)
                    tell(takeAttributes(*node, fields[1]));
                tell(refused);
            }
        }
        if (!problem.isEmpty())
            found.say(static_cast<int>(i) + 1, problem);
    }
    return found.finish(QStringLiteral("The genders file"));
}

} // namespace lockstep
