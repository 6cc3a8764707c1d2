// SPDX-License-Identifier: GPL-3.0-or-later
// The nodes known, in the order of the file. inventory.toml:
//
//   [[node]]
//   name = "gpu1"
//   address = "alice@10.0.0.11:2222"   # anything ssh takes; an alias of ~/.ssh/config too. "local" is this machine
//   tags = ["h100", "rack3"]           # groups it belongs to
//   key = "~/.ssh/id_cluster"          # missing: as ssh chooses
//   slots = 8                          # ranks at most; 0 or missing: all devices (a CPU node: one rank)
//   devices = [0, 1, 2]                # only these; missing: all
//   interface = "ens1f0"               # missing: measured
//   jump = ["ops@203.0.113.5:2222"]    # ProxyJump, outermost first
//   env = { NCCL_IB_HCA = "mlx5_0" }   # of its ranks; the spec's own wins
//
//   [[node]]                           # sixteen nodes, but for one
//   name = "gpu[01-16]"
//   address = "gpu[01-16].cluster.example"
//   except = ["gpu07"]
//
//   [group.h100]                       # what nodes with this tag have where they don't say themselves; [group.all]:
//   every user = "alice"                     # node. Of several groups the first tag wins. As for a node: key, slots,
//   devices, port = 2222                        # interface, jump; env is joined.
//
// A missing file is the inventory of a first start: this machine alone. An unreadable or wrong one is an error with its
// line. A key that is no slip of a known one is somebody's own: it is kept, and told in `notes`.
#pragma once

#include "core/address.h"
#include "core/error.h"
#include "core/importednodes.h"
#include "core/node.h"
#include "core/noderange.h"
#include "core/sshconfigaliases.h"

#include <QList>
#include <QString>
#include <QStringList>

namespace lockstep {

struct NodeGroup { // defaults; what is empty or 0 says nothing
    QString name;
    QString user;
    int port = 0;
    QString key;
    int slots_ = 0;
    QList<int> devices;
    QString interface;
    QStringList jump;
    QList<std::pair<QByteArray, QByteArray>> env;

    bool operator==(const NodeGroup&) const = default;
};

class Inventory {
public:
    QList<Node> nodes; // with what their groups give them
    QList<NodeGroup> groups;
    QList<ImportedLine> notes; // of the file: keys of others

    bool operator==(const Inventory&) const = default;

    [[nodiscard]] const Node* find(const QString& name) const;
    [[nodiscard]] Result<void> add(Node node);               // a doubled name is refused
    [[nodiscard]] Result<void> add(const QList<Node>& more); // up to the first that is refused
    [[nodiscard]] Result<void> remove(const QString& name);
    // "gpu[1-2]", "gpu1,gpu2", "gpu*", "@h100", "*" or empty: all. Left to right: "," or a blank adds, "&" keeps of
    // what stands before it back to the last comma, "!" takes away from all so far; parentheses group:
    // "gpu[01-16]!gpu07&@a100", "a & @b", "a, b & @c". The order is as written (the first is the master), the
    // inventory's within a pattern or tag. An unknown name is an error that says where, never a smaller job.
    [[nodiscard]] Result<QList<Node>> select(const QString& selection) const;

    [[nodiscard]] static Inventory firstStart(); // this machine, named "this"
    [[nodiscard]] static Result<Inventory> load(const QString& path);
    // `origin` is the file's name, for messages.
    [[nodiscard]] static Result<Inventory> parse(const QByteArray& toml, const QString& origin);
    // A new file, of the nodes alone; a file that is there is changed by editInventory, which keeps what it does not
    // know.
    [[nodiscard]] Result<void> save(const QString& path) const; // written aside, synced, renamed
};

} // namespace lockstep
