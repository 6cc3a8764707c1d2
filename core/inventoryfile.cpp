// SPDX-License-Identifier: GPL-3.0-or-later
// inventory.toml; its form stands in inventory.h.
#include "core/atomicfile.h"
#include "core/inventory.h"
#include "core/tomlreader.h"
#include "core/tomlwriter.h"

#include <QFileInfo>

namespace lockstep {
namespace {

constexpr int kMostSlots = 4096;

Result<Node> readNode(const TomlValue& table, const QString& origin)
{
    TomlReader reader(table, origin);
    Node node;
    node.name = reader.text("name");
    if (const Result<void> named = checkNodeName(node.name); !named)
        reader.fail(reader.line("name"), named.error().text);
    const QString address = reader.text("address");
    if (address == QLatin1String("local")) {
        node.local = true;
    } else if (!reader.has("address")) {
        reader.fail(table.line, QStringLiteral("the node %1 has no address.").arg(node.name));
    } else if (const Result<Address> parsed = Address::parse(address); parsed) {
        node.address = *parsed;
    } else {
        reader.fail(reader.line("address"), parsed.error().text);
    }
    node.tags = reader.texts("tags");
    node.jump = reader.texts("jump");
    for (const QString& hop : std::as_const(node.jump)) {
        if (const Result<Address> parsed = Address::parse(hop); !parsed)
            reader.fail(reader.line("jump"), parsed.error().text);
    }
    node.slots_ = static_cast<int>(reader.integer("slots", 0, 0, kMostSlots));
    node.devices = reader.integers("devices", 0);
    node.interface = reader.text("interface");
    if (const Result<void> read = reader.finish(); !read)
        return std::unexpected(read.error());
    return node;
}

} // namespace

Result<Inventory> Inventory::load(const QString& path)
{
    if (!QFileInfo::exists(path))
        return firstStart();
    const Result<QByteArray> bytes = readWhole(path);
    if (!bytes)
        return std::unexpected(bytes.error());
    const QString origin = QFileInfo(path).fileName();
    const Result<TomlValue> document = parseToml(*bytes, origin);
    if (!document)
        return std::unexpected(document.error());
    TomlReader reader(*document, origin);
    Inventory inventory;
    const QList<const TomlValue*> tables = reader.tables("node");
    for (const TomlValue* table : tables) {
        const Result<Node> node = readNode(*table, origin);
        if (!node)
            return std::unexpected(node.error());
        if (const Result<void> added = inventory.add(*node); !added)
            reader.fail(table->line, added.error().text);
    }
    if (const Result<void> read = reader.finish(); !read)
        return std::unexpected(read.error());
    return inventory;
}

Result<void> Inventory::save(const QString& path) const
{
    TomlWriter writer;
    writer.comment("The nodes that Lockstep knows. The order is the order of the Nodes page.");
    for (const Node& node : nodes) {
        writer.element("node");
        writer.text("name", node.name);
        writer.text("address", node.local ? QStringLiteral("local") : node.address.text());
        if (!node.tags.isEmpty())
            writer.texts("tags", node.tags);
        if (node.slots_ > 0)
            writer.integer("slots", node.slots_);
        if (!node.devices.isEmpty())
            writer.integers("devices", node.devices);
        if (!node.interface.isEmpty())
            writer.text("interface", node.interface);
        if (!node.jump.isEmpty())
            writer.texts("jump", node.jump);
    }
    return writeAtomically(path, writer.result());
}

} // namespace lockstep
