// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hostnames.h"

#include "core/hosttable.h"
#include "core/nodeaddress.h"
#include "core/noderange.h"

#include <algorithm>

namespace lockstep {
namespace {

QStringList fieldsOf(const QString& line)
{
    return splitBlanks(line.section(u'#', 0, 0));
}

bool isMulticast(const QString& address)
{
    return address.startsWith(QLatin1String("ff"), Qt::CaseInsensitive) || address.startsWith(QLatin1String("22")) ||
           address == QLatin1String("255.255.255.255") || address.startsWith(QLatin1String("fe00::"));
}

// "slots=8", "gpus=8": what a hostfile says of slots too.
bool isOfHostfiles(const QString& attribute)
{
    static const QStringList kWords{QStringLiteral("slots"),   QStringLiteral("max_slots"), QStringLiteral("max-slots"),
                                    QStringLiteral("cpu"),     QStringLiteral("cpus"),      QStringLiteral("np"),
                                    QStringLiteral("gpus"),    QStringLiteral("count"),     QStringLiteral("ifname"),
                                    QStringLiteral("user"),    QStringLiteral("binding"),   QStringLiteral("port"),
                                    QStringLiteral("username")};
    return kWords.contains(attribute.section(u'=', 0, 0).toLower());
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

bool isGenders(const QStringList& lines)
{
    bool surely = false;
    for (const QString& line : lines) {
        const QStringList fields = fieldsOf(line);
        if (fields.isEmpty())
            continue;
        if (fields.size() > 2 || fields.first().contains(u'=') || fields.first().endsWith(u',') ||
            fields.first().endsWith(u':') || (fields.size() == 2 && isNumber(fields[1])))
            return false;
        if (fields.size() < 2)
            continue;
        const QStringList attributes = splitCommas(fields[1]);
        const bool own = std::none_of(attributes.begin(), attributes.end(), isOfHostfiles);
        surely = surely || attributes.size() > 1 || (fields[1].contains(u'=') && own);
    }
    return surely;
}

Result<ImportedNodes> importGenders(const QStringList& lines)
{
    ImportCollector found;
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const QStringList fields = fieldsOf(lines[i]);
        QString problem;
        const QStringList parts = fields.isEmpty() ? QStringList() : splitCommas(fields[0]);
        for (const QString& part : parts) {
            const Result<QStringList> names = expandRange(part);
            if (!names)
                problem = names.error().text;
            for (const QString& name : names.value_or(QStringList()))
                if (Node* node = nodeFor(found, name, problem); node && fields.size() > 1)
                    problem = takeAttributes(*node, fields[1]);
        }
        if (!problem.isEmpty())
            found.say(static_cast<int>(i) + 1, problem);
    }
    return found.finish(QStringLiteral("The genders file"));
}

} // namespace lockstep
