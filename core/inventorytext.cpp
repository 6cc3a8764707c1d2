// SPDX-License-Identifier: GPL-3.0-or-later
// Writing inventory.toml, whole or change by change.
#include "core/atomicfile.h"
#include "core/inventoryfile.h"
#include "core/nodeform.h"
#include "core/tomltext.h"
#include "core/tomlwriter.h"

#include <QMap>

#include <algorithm>

namespace lockstep {
namespace {

using Variables = QList<std::pair<QByteArray, QByteArray>>;

struct Value {
    QByteArray key, toml; // toml empty: not said
};

QByteArray envToml(const Variables& env)
{
    QByteArray text;
    for (const auto& [name, value] : env)
        text += (text.isEmpty() ? "{ " : ", ") + TomlWriter::keyOf(name) + " = " + TomlWriter::quoted(value);
    return text.isEmpty() ? text : text + " }";
}

QByteArray textToml(const QString& text)
{
    return text.isEmpty() ? QByteArray() : TomlWriter::quoted(text.toUtf8());
}

QByteArray listToml(const QStringList& texts)
{
    QByteArrayList quoted;
    for (const QString& text : texts)
        quoted.append(TomlWriter::quoted(text.toUtf8()));
    return quoted.isEmpty() ? QByteArray() : '[' + quoted.join(", ") + ']';
}

QByteArray listToml(const QList<int>& numbers)
{
    QByteArrayList texts;
    for (const int number : numbers)
        texts.append(QByteArray::number(number));
    return texts.isEmpty() ? QByteArray() : '[' + texts.join(", ") + ']';
}

// In the order of a new table.
QList<Value> valuesOf(const Node& node)
{
    return {{"name", textToml(node.name)},
            {"address", node.local ? textToml(QStringLiteral("local")) : textToml(node.address.text())},
            {"tags", listToml(node.tags)},
            {"key", textToml(node.key)},
            {"slots", node.slots_ > 0 ? QByteArray::number(node.slots_) : QByteArray()},
            {"devices", listToml(node.devices)},
            {"interface", textToml(node.interface)},
            {"jump", listToml(node.jump)},
            {"env", envToml(node.env)}};
}

class Changer {
public:
    Changer(const QByteArray& toml, PlacedInventory before, const Inventory& after)
        : m_text(toml), m_before(std::move(before)), m_after(after)
    {
        for (const Node& node : m_before.inventory.nodes)
            m_left[m_before.places[node.name].line].append(node.name);
    }

    Result<QByteArray> changed()
    {
        QHash<QString, const Node*> after;
        for (const Node& node : m_after.nodes)
            after.insert(node.name, &node);
        QList<Node> fresh;
        for (const Node& node : std::as_const(m_before.inventory.nodes)) {
            const Node* next = after.take(node.name);
            const NodePlace& place = m_before.places[node.name];
            if (next && *next == node)
                continue;
            if (!m_text.hasTable(place.line))
                return onlyByHand(node, place.line);
            if (!next || place.ofRange)
                drop(node, place);
            else if (!change(node, *next, place.line))
                return onlyByHand(node, place.line);
            if (next && place.ofRange)
                fresh.append(*next);
        }
        for (auto it = m_except.begin(); it != m_except.end(); ++it)
            m_text.set(it.key(), "except", listToml(it.value()));
        for (const Node& node : m_after.nodes)
            if (after.contains(node.name))
                fresh.append(node);
        if (!fresh.isEmpty())
            m_text.insert("node", writtenNodes(fresh, m_after.groups));
        return m_text.result();
    }

private:
    static std::unexpected<Error> onlyByHand(const Node& node, int line)
    {
        return failure(ErrorCode::BadInput,
                       QStringLiteral("%1 stands in line %2 of the inventory in a form that only a person can change; "
                                      "edit the file itself.")
                           .arg(node.name)
                           .arg(line),
                       node.name);
    }

    // False: what was to be taken away was not found.
    bool change(const Node& node, const Node& next, int line)
    {
        const Node oldPart = ownPart(node, m_before.inventory.groups);
        const Node wantedPart = ownPart(next, m_before.inventory.groups);
        const QList<Value> old = valuesOf(oldPart), wanted = valuesOf(wantedPart);
        bool found = true;
        for (qsizetype i = 0; i < old.size(); ++i) {
            const QByteArray& key = wanted[i].key;
            if (old[i].toml == wanted[i].toml)
                continue;
            if (m_text.isSpread(line, key)) // env, with what a person wrote at each variable
                found = changeVariables(line, key, oldPart.env, wantedPart.env) && found;
            else if (wanted[i].toml.isEmpty())
                found = m_text.unset(line, {key}) && found;
            else
                m_text.set(line, key, wanted[i].toml);
        }
        return found;
    }

    bool changeVariables(int line, const QByteArray& key, const Variables& old, const Variables& wanted)
    {
        const auto isAmong = [](const Variables& all, const QByteArray& name) {
            return std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.first == name; });
        };
        bool found = true;
        for (const auto& [name, value] : old)
            if (!isAmong(wanted, name))
                found = m_text.unset(line, {key, name}) && found;
        for (const auto& one : wanted)
            if (!old.contains(one))
                m_text.setIn(line, key, one.first, TomlWriter::quoted(one.second));
        return found;
    }

    void drop(const Node& node, const NodePlace& place)
    {
        QStringList& left = m_left[place.line];
        left.removeAll(node.name);
        if (!m_except.contains(place.line))
            m_except.insert(place.line, place.except);
        m_except[place.line].append(node.name);
        if (left.isEmpty()) { // all of the table's nodes
            m_text.remove(place.line);
            m_except.remove(place.line);
        }
    }

    TomlText m_text;
    PlacedInventory m_before;
    const Inventory& m_after;
    QHash<int, QStringList> m_left;  // names by the line of their table
    QMap<int, QStringList> m_except; // what these tables have to except then
};

} // namespace

QByteArray writtenNodes(const QList<Node>& nodes, const QList<NodeGroup>& groups)
{
    TomlWriter writer;
    for (const Node& node : nodes) {
        writer.element("node");
        for (const Value& value : valuesOf(ownPart(node, groups)))
            if (!value.toml.isEmpty())
                writer.raw(value.key, value.toml);
    }
    return writer.result();
}

Result<QByteArray> withChanges(const QByteArray& toml, const Inventory& after, const QString& origin)
{
    auto before = readInventory(toml, origin);
    if (!before)
        return std::unexpected(before.error());
    auto changed = Changer(toml, std::move(*before), after).changed();
    if (!changed)
        return changed;
    // A form of TOML that the change does not fit into must not cost the file.
    if (const auto again = readInventory(*changed, origin); !again)
        return failure(ErrorCode::BadInput,
                       QStringLiteral("The change does not fit into %1 as it is written (%2); edit the file itself.")
                           .arg(origin, again.error().text));
    return changed;
}

QByteArray newInventory(const QList<Node>& nodes)
{
    TomlWriter writer;
    writer.comment("The nodes that Lockstep knows. The order is the order of the Nodes page.");
    return writer.result() + '\n' + writtenNodes(nodes, {});
}

Result<void> Inventory::save(const QString& path) const
{
    return writeAtomically(path, newInventory(nodes));
}

} // namespace lockstep
