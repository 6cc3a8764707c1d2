// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes out of the host files of other launchers.
#pragma once

#include "core/node.h"

#include <QList>
#include <QString>

namespace lockstep {

struct ImportedLine {
    int line = 0;
    QString problem; // empty: understood
};
struct ImportedNodes {
    QList<Node> nodes;
    QList<ImportedLine> problems; // what was not taken over, in the order of the lines
};
// Dialects of cases/remote.md: `host slots=N` (DeepSpeed, OpenMPI), `host:N` (MPICH), `host N`, a plain list (a host
// named again has one more slot), Slurm's compressed lists, Ansible INI (groups become tags). A line that is not
// understood is told and left out; a text without one good line is an error. The port of `host:N slots=M` is N.
[[nodiscard]] Result<ImportedNodes> importHostfile(const QString& text);

} // namespace lockstep
