// SPDX-License-Identifier: GPL-3.0-or-later
// inventory.toml as text: read with the place of each node, and changed without touching what did not change.
#pragma once

#include "core/inventory.h"

#include <QHash>

namespace lockstep {

struct NodePlace {
    int line = 0;         // of its [[node]]
    bool ofRange = false; // one of several that the table stands for
    QStringList except;   // of a range

    bool operator==(const NodePlace&) const = default;
};

struct PlacedInventory {
    Inventory inventory;
    QHash<QString, NodePlace> places;
};

[[nodiscard]] Result<PlacedInventory> readInventory(const QByteArray& toml, const QString& origin);

// The text with what differs between its own inventory and `after`: nodes that came, went, or have other values. A node
// that leaves its range is excepted from it. The order of nodes is the text's.
[[nodiscard]] Result<QByteArray> withChanges(const QByteArray& toml, const Inventory& after, const QString& origin);

// A file of these nodes alone.
[[nodiscard]] QByteArray newInventory(const QList<Node>& nodes);

// [[node]] tables, without what the groups say anyway.
[[nodiscard]] QByteArray writtenNodes(const QList<Node>& nodes, const QList<NodeGroup>& groups);

// What the groups of its tags give a node, of what it does not say itself.
void inherit(Node& node, const QList<NodeGroup>& groups);

} // namespace lockstep
