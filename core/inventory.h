// SPDX-License-Identifier: GPL-3.0-or-later
// The nodes known, in the order of the file. inventory.toml:
//
//   [[node]]
//   name = "gpu1"
//   address = "alice@10.0.0.11:2222"   # anything ssh takes; an alias of ~/.ssh/config too. "local" is this machine
//   tags = ["h100", "rack3"]
//   slots = 8                          # ranks at most; 0 or missing: all devices (a CPU node: one rank)
//   devices = [0, 1, 2]                # only these; missing: all
//   interface = "ens1f0"               # missing: measured
//   jump = ["ops@203.0.113.5:2222"]    # ProxyJump, outermost first
//
// A missing file is the inventory of a first start: this machine alone. An unreadable or wrong one is an error.
#pragma once

#include "core/address.h"
#include "core/error.h"
#include "core/hostfile.h"
#include "core/node.h"
#include "core/noderange.h"
#include "core/sshconfigaliases.h"

#include <QList>
#include <QString>
#include <QStringList>

namespace lockstep {

class Inventory {
public:
    QList<Node> nodes;

    bool operator==(const Inventory&) const = default;

    [[nodiscard]] const Node* find(const QString& name) const;
    [[nodiscard]] Result<void> add(Node node); // a doubled name is refused
    [[nodiscard]] Result<void> remove(const QString& name);
    // "gpu[1-2]", "gpu1,gpu2", "gpu*", "@h100", "a & @b", "a !b" (without), "*" or empty: all; parentheses
    // group, & binds before , and !. The order is as written (the first is the master), the inventory's within a
    // pattern or tag. An unknown name is an error, never a smaller job.
    [[nodiscard]] Result<QList<Node>> select(const QString& selection) const;

    [[nodiscard]] static Inventory firstStart(); // this machine, named "this"
    [[nodiscard]] static Result<Inventory> load(const QString& path);
    [[nodiscard]] Result<void> save(const QString& path) const; // written aside, synced, renamed
};

} // namespace lockstep
