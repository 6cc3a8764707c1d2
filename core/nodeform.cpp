// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nodeform.h"

#include "core/inventoryfile.h"

#include <algorithm>

namespace lockstep {
namespace {

const QString kValueKeys[] = {QStringLiteral("key"), QStringLiteral("slots"), QStringLiteral("devices"),
                              QStringLiteral("interface"), QStringLiteral("jump")};

// Of QTextDocument::toPlainText, which gives them back as blanks and ends of lines.
constexpr char16_t kLostInAField[] = {u'\n', u'\r', u'\u00a0', u'\u2028', u'\u2029', u'\ufdd0', u'\ufdd1'};

bool fitsALine(const QByteArray& bytes)
{
    const QString text = QString::fromUtf8(bytes);
    return text.toUtf8() == bytes &&
           std::ranges::none_of(kLostInAField, [&text](char16_t lost) { return text.contains(QChar(lost)); });
}

bool hasVariable(const Node& node, const QByteArray& name)
{
    return std::ranges::any_of(node.env, [&](const auto& one) { return one.first == name; });
}

} // namespace

Node ownPart(const Node& node, const QList<NodeGroup>& groups)
{
    Node own = node;
    Node given;
    given.tags = node.tags;
    given.local = node.local;
    inherit(given, groups);
    const auto drop = [](auto& mine, const auto& inherited) {
        if (mine == inherited)
            mine = {};
    };
    drop(own.address.user, given.address.user);
    drop(own.address.port, given.address.port);
    drop(own.key, given.key);
    drop(own.slots_, given.slots_);
    drop(own.devices, given.devices);
    drop(own.interface, given.interface);
    drop(own.jump, given.jump);
    own.env.removeIf([&](const auto& variable) { return given.env.contains(variable); });
    return own;
}

QList<GivenValue> givenValues(const Node& node, const QList<NodeGroup>& groups)
{
    QList<GivenValue> values;
    Node now = ownPart(node, groups);
    for (const QString& tag : node.tags + QStringList(QStringLiteral("all"))) // in the order in which they win
        for (const NodeGroup& group : groups) {
            if (group.name != tag)
                continue;
            const Node before = now;
            inherit(now, {group});
            if (now.address.user != before.address.user)
                values.append({QStringLiteral("user"), now.address.user, tag});
            if (now.address.port != before.address.port)
                values.append({QStringLiteral("port"), QString::number(now.address.port), tag});
            for (const QString& key : kValueKeys)
                if (const QString value = valueText(now, key); value != valueText(before, key))
                    values.append({key, value, tag});
            for (const auto& [name, value] : std::as_const(now.env))
                if (!hasVariable(before, name))
                    values.append({QStringLiteral("env.") + QString::fromUtf8(name), QString::fromUtf8(value), tag});
        }
    return values;
}

QString valueText(const Node& node, const QString& key)
{
    if (key == QLatin1String("address"))
        return node.local ? QStringLiteral("local") : node.address.text();
    if (key == QLatin1String("tags"))
        return node.tags.join(QLatin1String(", "));
    if (key == QLatin1String("slots"))
        return node.slots_ > 0 ? QString::number(node.slots_) : QString();
    if (key == QLatin1String("interface"))
        return node.interface;
    if (key == QLatin1String("key"))
        return node.key;
    if (key == QLatin1String("jump"))
        return node.jump.join(QLatin1String(", "));
    QStringList devices;
    if (key == QLatin1String("devices"))
        for (const int index : node.devices)
            devices.append(QString::number(index));
    return devices.join(QLatin1String(", "));
}

Result<QString> variableLines(const Node& node)
{
    QStringList lines;
    for (const auto& [name, value] : node.env) {
        if (!fitsALine(name) || !fitsALine(value))
            return failure(
                ErrorCode::BadInput,
                QStringLiteral("The value of %1 has several lines, a blank that a field would change, or is no "
                               "text; change it in the inventory's file.")
                    .arg(QString::fromUtf8(name)),
                node.name);
        lines.append(QString::fromUtf8(name) + u'=' + QString::fromUtf8(value));
    }
    return lines.join(u'\n');
}

Result<void> setVariableLines(Node& node, const QString& lines)
{
    Node read;
    int number = 0;
    for (const QString& line : lines.split(u'\n')) {
        ++number;
        if (line.trimmed().isEmpty())
            continue;
        const qsizetype equals = line.indexOf(u'=');
        const QByteArray name = line.left(std::max<qsizetype>(equals, 0)).trimmed().toUtf8();
        const QByteArray value = line.mid(equals + 1).toUtf8();
        if (name.isEmpty() || name.contains('\0') || value.contains('\0'))
            return failure(
                ErrorCode::BadInput,
                QStringLiteral("Line %1 of env wants NAME=value, not \"%2\".").arg(number).arg(line.trimmed()),
                node.name);
        if (hasVariable(read, name))
            return failure(
                ErrorCode::BadInput,
                QStringLiteral("Line %1 of env sets %2 a second time.").arg(number).arg(QString::fromUtf8(name)),
                node.name);
        read.env.append({name, value});
    }
    node.env = read.env;
    return {};
}

} // namespace lockstep
