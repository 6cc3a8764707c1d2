// SPDX-License-Identifier: GPL-3.0-or-later
// What a file of another program names: nodes, and each odd line with its number.
#pragma once

#include "core/node.h"

#include <QHash>
#include <QList>
#include <QString>

namespace lockstep {

struct ImportedLine {
    int line = 0;
    QString problem; // a sentence without its place
    QString file;    // one that belongs to it (Include, group_vars); empty: the file itself

    bool operator==(const ImportedLine&) const = default;
};

struct ImportedNodes {
    QList<Node> nodes;
    QList<ImportedLine> problems; // what was not taken over, in the order of the lines
};

// A file of any dialect (cases/remote.md), told apart by what stands in it:
//   hostfiles (hostfile.h), /etc/hosts and genders (hostnames.h), Slurm's outputs and slurm.conf (slurmlists.h), tables
//   with a header (hosttable.h), Ansible's INI, YAML and JSON (ansibleinventory.h), an ssh_config (sshconfigaliases.h).
// A line that is not understood is told and left out; a file that is missing, empty or without one good line is an
// error, never a smaller job, and so is one of which most lines are not understood. Bytes may be UTF-8 or, with its
// mark, UTF-16.
[[nodiscard]] Result<ImportedNodes> importFile(const QString& path); // "~/" is the home folder
// All but an ssh_config, which has Includes. `folder`: where Ansible's group_vars and host_vars lie; empty: nowhere.
[[nodiscard]] Result<ImportedNodes> importText(const QByteArray& bytes, const QString& folder = {});

[[nodiscard]] QString withHome(const QString& path); // "~/x" in the home folder

// "hosts:3: ..."; `path` as the person wrote it.
[[nodiscard]] QString placedProblem(const QString& path, const ImportedLine& line);

// Gathers the nodes of one file by name, in the order named.
class ImportCollector {
public:
    void say(int line, const QString& problem, const QString& file = {});
    [[nodiscard]] Node* find(const QString& name); // until the next add
    void add(const Node& node);                    // a name that is new
    [[nodiscard]] bool isEmpty() const { return m_imported.nodes.isEmpty(); }
    // An error where more lines were wrong than good, as of a file that is no list and has a host by chance.
    [[nodiscard]] Result<void> checkShare(const QString& what, qsizetype good, qsizetype wrong) const;
    // `what` begins the sentence of the error when there is no node: "The host file".
    [[nodiscard]] Result<ImportedNodes> finish(const QString& what);

private:
    ImportedNodes m_imported;
    QHash<QString, qsizetype> m_index;
};

// A node at an address under the name it is given; "localhost" is this machine.
[[nodiscard]] Result<Node> nodeNamed(const QString& name, const Address& address);

} // namespace lockstep
