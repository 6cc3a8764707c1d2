// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever the bytes: every dialect ends in nodes that can be meant or in a sentence; and an inventory.toml that can be
// read can be changed, to the letter of what was asked.
#include "core/ansiblevariables.h"
#include "core/inventoryfile.h"

#include <QSet>

#include <cstdint>
#include <cstdlib>

using namespace lockstep;

namespace {

void require(bool condition)
{
    if (!condition)
        std::abort();
}

void checkNodes(const QList<Node>& nodes)
{
    QSet<QString> names;
    for (const Node& node : nodes) {
        require(checkNodeName(node.name).has_value() && !names.contains(node.name));
        names.insert(node.name);
        require(node.slots_ >= 0 && node.slots_ <= kMostSlots);
        if (node.local)
            continue;
        const auto again = Address::parse(node.address.text());
        require(again && *again == node.address);
    }
}

void checkImport(const QByteArray& bytes)
{
    const auto imported = importText(bytes);
    if (!imported) {
        require(!imported.error().text.isEmpty());
        return;
    }
    require(!imported->nodes.isEmpty());
    checkNodes(imported->nodes);
    for (const ImportedLine& line : imported->problems)
        require(line.line >= 1 && !line.problem.isEmpty());
}

void checkVariables(const QByteArray& bytes) // of group_vars and host_vars
{
    const auto read = readAnsibleVariables(bytes);
    require(read || (read.error().line >= 1 && !read.error().problem.isEmpty()));
    for (const AnsibleValue& value : read.value_or(AnsibleVariables()))
        require(value.line >= 1 && (value.kind == AnsibleValue::Kind::Text || value.text.isEmpty()));
}

void checkInventory(const QByteArray& bytes)
{
    const auto read = Inventory::parse(bytes, QStringLiteral("f"));
    if (!read)
        return;
    checkNodes(read->nodes);
    require(withChanges(bytes, *read, QStringLiteral("f")).value_or(QByteArray()) == bytes);
    if (read->nodes.isEmpty())
        return;
    Inventory after = *read;
    after.nodes.removeFirst();
    Node fresh;
    fresh.name = QStringLiteral("fresh-node");
    fresh.address.host = QStringLiteral("fresh");
    if (!after.add(fresh))
        return;
    if (after.nodes.size() > 1)
        after.nodes[0].slots_ = after.nodes[0].slots_ == 7 ? 6 : 7;
    const auto changed = withChanges(bytes, after, QStringLiteral("f"));
    if (!changed)
        return;
    const auto again = Inventory::parse(*changed, QStringLiteral("f"));
    require(again.has_value() && again->nodes.size() == after.nodes.size());
    for (const Node& node : after.nodes)
        require(again->find(node.name) &&
                again->find(node.name)->slots_ ==
                    node.slots_ + (node.name == fresh.name ? again->find(node.name)->slots_ : 0));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const QByteArray bytes(reinterpret_cast<const char*>(data), static_cast<qsizetype>(size));
    checkImport(bytes);
    checkVariables(bytes);
    checkInventory(bytes);
    const auto chosen = Inventory::firstStart().select(QString::fromUtf8(bytes.left(2000)));
    require(!chosen || !chosen->isEmpty());
    return 0;
}
