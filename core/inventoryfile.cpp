// SPDX-License-Identifier: GPL-3.0-or-later
// Reading inventory.toml; its form stands in inventory.h.
#include "core/inventoryfile.h"

#include "core/atomicfile.h"
#include "core/tomlreader.h"

#include <QFileInfo>
#include <QSet>

namespace lockstep {
namespace {

constexpr qsizetype kMostNodes = 20000;
constexpr int kMostPort = 65535;

QList<std::pair<QByteArray, QByteArray>> readEnv(TomlReader& reader)
{
    QList<std::pair<QByteArray, QByteArray>> env;
    const TomlValue* table = reader.table("env");
    if (!table)
        return env;
    for (const auto& [name, value] : table->entries) {
        const auto bytes = TomlReader::bytesOf(value);
        if (name.isEmpty() || name.contains('=') || name.contains('\0'))
            reader.fail(value.line, QStringLiteral("\"%1\" can't be a variable's name.").arg(QString::fromUtf8(name)));
        else if (!bytes || bytes->contains('\0'))
            reader.fail(value.line, QStringLiteral("env.%1 wants a text without NUL.").arg(QString::fromUtf8(name)));
        else
            env.append({name, *bytes});
    }
    return env;
}

QStringList readJump(TomlReader& reader)
{
    QStringList jump = reader.texts("jump");
    for (const QString& hop : std::as_const(jump)) {
        if (const Result<Address> parsed = Address::parse(hop); !parsed)
            reader.fail(reader.line("jump"), parsed.error().text);
    }
    return jump;
}

// What a node and a group may both say.
template <typename Into>
void readCommon(TomlReader& reader, Into& into)
{
    into.key = reader.text("key");
    into.slots_ = static_cast<int>(reader.integer("slots", 0, 0, kMostSlots));
    into.devices = reader.integers("devices", 0);
    into.interface = reader.text("interface");
    into.jump = readJump(reader);
    into.env = readEnv(reader);
}

class InventoryReader {
public:
    InventoryReader(QString origin) : m_origin(std::move(origin)) {}

    Result<PlacedInventory> read(const TomlValue& document)
    {
        TomlReader reader(document, m_origin);
        const TomlValue* groups = reader.table("group");
        if (groups)
            for (const auto& [name, value] : groups->entries)
                if (const auto done = readGroup(QString::fromUtf8(name), value); !done)
                    return std::unexpected(done.error());
        const QList<const TomlValue*> tables = reader.tables("node");
        for (const TomlValue* table : tables) {
            const auto nodes = readNodes(*table);
            if (!nodes)
                return std::unexpected(nodes.error());
            for (const Node& node : *nodes)
                if (const Result<void> added = add(node); !added)
                    reader.fail(table->line, added.error().text);
        }
        if (const Result<void> read = reader.finish(m_read.inventory.notes); !read)
            return std::unexpected(read.error());
        return std::move(m_read);
    }

private:
    Result<void> add(Node node)
    {
        if (m_names.contains(node.name) || m_names.size() >= kMostNodes)
            return m_read.inventory.nodes.size() >= kMostNodes
                       ? failure(ErrorCode::BadInput, QStringLiteral("these are more nodes than Lockstep takes."))
                       : m_read.inventory.add(std::move(node)); // which says why not
        m_names.insert(node.name);
        inherit(node, m_read.inventory.groups);
        m_read.inventory.nodes.append(std::move(node));
        return {};
    }

    Result<void> readGroup(const QString& name, const TomlValue& table)
    {
        TomlReader reader(table, m_origin);
        if (table.kind != TomlValue::Kind::Table)
            reader.fail(table.line, QStringLiteral("a group is a table, [group.%1].").arg(name));
        NodeGroup group;
        group.name = name;
        group.user = reader.text("user");
        if (!group.user.isEmpty() && !Address::parse(group.user + QStringLiteral("@host")))
            reader.fail(reader.line("user"), QStringLiteral("\"%1\" can't be a user's name.").arg(group.user));
        group.port = static_cast<int>(reader.integer("port", 0, 1, kMostPort));
        readCommon(reader, group);
        if (const Result<void> read = reader.finish(m_read.inventory.notes); !read)
            return read;
        m_read.inventory.groups.append(group);
        return {};
    }

    Result<QList<Node>> readNodes(const TomlValue& table)
    {
        TomlReader reader(table, m_origin);
        Node common;
        common.tags = reader.texts("tags");
        readCommon(reader, common);
        const QStringList except = reader.texts("except");
        QList<Node> nodes;
        QStringList left = except;
        const QString name = reader.text("name"), address = reader.text("address");
        const Result<QStringList> names = expandRange(name);
        if (!names) {
            reader.fail(reader.line("name"), names.error().text);
        } else if (!reader.has("address")) {
            checkName(reader, name);
            reader.fail(table.line, QStringLiteral("the node %1 has no address.").arg(name));
        } else {
            const QStringList addresses = addressesFor(reader, address, names->size());
            for (qsizetype i = 0; i < addresses.size(); ++i) {
                if (left.removeAll((*names)[i]) > 0)
                    continue;
                common.name = (*names)[i];
                checkName(reader, common.name);
                readAddress(reader, addresses[i], common);
                nodes.append(common);
                m_read.places.insert(common.name, {table.line, names->size() > 1, except});
            }
        }
        if (!left.isEmpty() && names)
            reader.fail(reader.line("except"), QStringLiteral("%1 is not in %2.").arg(left.first(), name));
        if (const Result<void> read = reader.finish(m_read.inventory.notes); !read)
            return std::unexpected(read.error());
        return nodes;
    }

    static void checkName(TomlReader& reader, const QString& name)
    {
        if (const Result<void> named = checkNodeName(name); !named)
            reader.fail(reader.line("name"), named.error().text);
    }

    static QStringList addressesFor(TomlReader& reader, const QString& address, qsizetype count)
    {
        if (count == 1) // an IPv6 address has brackets that are no range
            return {address};
        const Result<QStringList> addresses = expandRange(address);
        if (!addresses)
            reader.fail(reader.line("address"), addresses.error().text);
        else if (addresses->size() != count)
            reader.fail(reader.line("address"),
                        QStringLiteral("name stands for %1 nodes, address for %2.").arg(count).arg(addresses->size()));
        else
            return *addresses;
        return {};
    }

    static void readAddress(TomlReader& reader, const QString& text, Node& node)
    {
        node.local = text == QLatin1String("local");
        node.address = {};
        if (node.local)
            return;
        if (const Result<Address> parsed = Address::parse(text); parsed)
            node.address = *parsed;
        else
            reader.fail(reader.line("address"), parsed.error().text);
    }

    QString m_origin;
    PlacedInventory m_read;
    QSet<QString> m_names;
};

} // namespace

void inherit(Node& node, const QList<NodeGroup>& groups)
{
    const auto take = [&node](const NodeGroup& group) {
        if (!node.local) {
            if (node.address.user.isEmpty())
                node.address.user = group.user;
            if (node.address.port == 0)
                node.address.port = group.port;
            if (node.key.isEmpty())
                node.key = group.key;
            if (node.jump.isEmpty())
                node.jump = group.jump;
        }
        if (node.slots_ == 0)
            node.slots_ = group.slots_;
        if (node.devices.isEmpty())
            node.devices = group.devices;
        if (node.interface.isEmpty())
            node.interface = group.interface;
        for (const auto& variable : group.env)
            if (std::none_of(node.env.begin(), node.env.end(),
                             [&](const auto& own) { return own.first == variable.first; }))
                node.env.append(variable);
    };
    QStringList order = node.tags;
    order.append(QStringLiteral("all"));
    for (const QString& tag : std::as_const(order))
        for (const NodeGroup& group : groups)
            if (group.name == tag)
                take(group);
}

Result<PlacedInventory> readInventory(const QByteArray& toml, const QString& origin)
{
    const Result<TomlValue> document = parseToml(toml, origin);
    if (!document)
        return std::unexpected(document.error());
    return InventoryReader(origin).read(*document);
}

Result<Inventory> Inventory::parse(const QByteArray& toml, const QString& origin)
{
    auto read = readInventory(toml, origin);
    if (!read)
        return std::unexpected(read.error());
    return std::move(read->inventory);
}

Result<Inventory> Inventory::load(const QString& path)
{
    if (!QFileInfo::exists(path))
        return firstStart();
    const Result<QByteArray> bytes = readWhole(path);
    if (!bytes)
        return std::unexpected(bytes.error());
    return parse(*bytes, QFileInfo(path).fileName());
}

} // namespace lockstep
