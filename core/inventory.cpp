// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/inventory.h"

#include <QRegularExpression>

#include <algorithm>

namespace lockstep {

Result<void> checkNodeName(const QString& name)
{
    static const QRegularExpression kName(QStringLiteral("^[A-Za-z0-9_][A-Za-z0-9._-]{0,62}\\z"));
    if (kName.match(name).hasMatch())
        return {};
    if (name.isEmpty())
        return failure(ErrorCode::BadInput, QStringLiteral("A node without a name can't be used; give it one."));
    return failure(
        ErrorCode::BadInput,
        QStringLiteral("\"%1\" can't be a node's name: names become file names and words of selections, so they are "
                       "made of letters, "
                       "digits, \".\", \"_\" and \"-\", begin with a letter or digit, and have at most 63 characters.")
            .arg(name));
}

const Node* Inventory::find(const QString& name) const
{
    const auto it = std::find_if(nodes.begin(), nodes.end(), [&](const Node& node) { return node.name == name; });
    return it == nodes.end() ? nullptr : &*it;
}

Result<void> Inventory::add(Node node)
{
    if (Result<void> named = checkNodeName(node.name); !named)
        return named;
    if (find(node.name))
        return failure(ErrorCode::BadInput,
                       QStringLiteral("A node named %1 is in the inventory already; give the new one another name.")
                           .arg(node.name),
                       node.name);
    if (!node.local && node.address.host.isEmpty())
        return failure(ErrorCode::BadInput, QStringLiteral("%1 has no address.").arg(node.name), node.name);
    nodes.append(std::move(node));
    return {};
}

Result<void> Inventory::add(const QList<Node>& more)
{
    for (const Node& node : more)
        if (Result<void> added = add(node); !added)
            return added;
    return {};
}

Result<void> Inventory::remove(const QString& name)
{
    const auto it = std::find_if(nodes.begin(), nodes.end(), [&](const Node& node) { return node.name == name; });
    if (it == nodes.end())
        return failure(ErrorCode::NotFound, QStringLiteral("No node is named %1.").arg(name), name);
    nodes.erase(it);
    return {};
}

Inventory Inventory::firstStart()
{
    Node node;
    node.name = QStringLiteral("this");
    node.local = true;
    Inventory inventory;
    inventory.nodes.append(node);
    return inventory;
}

} // namespace lockstep
