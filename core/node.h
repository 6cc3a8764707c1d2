// SPDX-License-Identifier: GPL-3.0-or-later
// One node of the inventory, as the user wrote it.
#pragma once

#include "core/address.h"

#include <QList>
#include <QStringList>

namespace lockstep {

struct Node {
    QString name;
    bool local = false; // this machine, without ssh
    Address address;
    QStringList tags;
    QStringList jump;
    int slots_ = 0;
    QList<int> devices;
    QString interface;

    bool operator==(const Node&) const = default;
};

// Names become file names and words of selections: letters, digits, "." "_" "-", not first a "." or "-", at most 63.
[[nodiscard]] Result<void> checkNodeName(const QString& name);

} // namespace lockstep
