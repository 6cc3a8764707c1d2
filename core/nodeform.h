// SPDX-License-Identifier: GPL-3.0-or-later
// A node of the inventory as a form shows it: what it says itself, what it has of its groups, its environment as lines.
// Pure.
#pragma once

#include "core/inventory.h"

namespace lockstep {

// Without what its groups give it: of a value that both say alike, the group is the one.
[[nodiscard]] Node ownPart(const Node& node, const QList<NodeGroup>& groups);

struct GivenValue {
    QString key; // as in setNodeValue; "user", "port"; "env.NAME"
    QString value;
    QString group;

    bool operator==(const GivenValue&) const = default;
};
[[nodiscard]] QList<GivenValue> givenValues(const Node& node, const QList<NodeGroup>& groups);

// As setNodeValue reads it; of env nothing.
[[nodiscard]] QString valueText(const Node& node, const QString& key);

// A line NAME=value each. Failure: a value that no line can hold, and is left to the file.
[[nodiscard]] Result<QString> variableLines(const Node& node);
// Empty lines are none; what stands after the = is taken as it is.
[[nodiscard]] Result<void> setVariableLines(Node& node, const QString& lines);

} // namespace lockstep
