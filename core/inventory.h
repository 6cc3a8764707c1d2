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

#include "core/error.h"

#include <QList>
#include <QString>
#include <QStringList>

namespace lockstep {

struct Address { // what ssh takes
    QString user; // empty: ssh's default
    QString host; // IPv6 without brackets
    int port = 0; // 0: ssh's default

    bool operator==(const Address&) const = default;
    [[nodiscard]] QString text() const;
    [[nodiscard]] static Result<Address> parse(const QString& text);
};

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

class Inventory {
public:
    QList<Node> nodes;

    bool operator==(const Inventory&) const = default;

    [[nodiscard]] const Node* find(const QString& name) const;
    [[nodiscard]] Result<void> add(Node node); // a doubled name is refused
    [[nodiscard]] Result<void> remove(const QString& name);
    // "gpu[1-2]", "gpu1,gpu2", "gpu*", "@h100", "a & @b", "a !b" (without), "*" or empty: all. An unknown name is an error, never a smaller job.
    [[nodiscard]] Result<QList<Node>> select(const QString& selection) const;

    [[nodiscard]] static Inventory firstStart(); // this machine, named "this"
    [[nodiscard]] static Result<Inventory> load(const QString& path);
    [[nodiscard]] Result<void> save(const QString& path) const; // written aside, synced, renamed
};

// "gpu[01-03]" -> gpu01 gpu02 gpu03; text without a range is itself.
[[nodiscard]] Result<QStringList> expandRange(const QString& text);

// New nodes out of what a person typed: `gpu1`, `alice@10.0.0.11:2222`, an alias, `gpu[1-8]`.
[[nodiscard]] Result<QList<Node>> nodesFromText(const QString& text);

struct ImportedLine {
    int line = 0;
    QString problem; // empty: understood
};
struct ImportedNodes {
    QList<Node> nodes;
    QList<ImportedLine> problems;
};
// Dialects of cases/remote.md: `host slots=N` (DeepSpeed, OpenMPI), `host:N` (MPICH), `host N`, a plain list, Slurm's compressed lists.
[[nodiscard]] Result<ImportedNodes> importHostfile(const QString& text);
// Concrete aliases (no wildcards) of an ssh_config, Include followed. `path` is the file; each node's address is its alias.
[[nodiscard]] Result<ImportedNodes> importSshConfig(const QString& path);

} // namespace lockstep
