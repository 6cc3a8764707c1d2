// SPDX-License-Identifier: GPL-3.0-or-later
// One node of the inventory: what the user wrote for it, and what its groups say where nothing is written.
#pragma once

#include "core/address.h"

#include <QByteArray>
#include <QList>
#include <QStringList>

#include <utility>

namespace lockstep {

inline constexpr int kMostSlots = 4096; // ranks on one node

struct Node {
    QString name;
    bool local = false; // this machine, without ssh
    Address address;
    QStringList tags; // each is a group too
    QStringList jump;
    QString key; // private key file, offered first; empty: as ssh chooses
    int slots_ = 0;
    QList<int> devices;
    QString interface;
    QList<std::pair<QByteArray, QByteArray>> env; // of its ranks; the spec's own wins

    bool operator==(const Node&) const = default;

    // Whether what was connected to by one of the two will do for the other.
    [[nodiscard]] bool isReachedLike(const Node& other) const
    {
        return name == other.name && local == other.local && address == other.address && jump == other.jump &&
               key == other.key;
    }
};

// Names become file names and words of selections: letters, digits, "." "_" "-", not first a "." or "-", at most 63.
[[nodiscard]] Result<void> checkNodeName(const QString& name);

} // namespace lockstep
