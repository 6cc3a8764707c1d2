// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes out of the host files of other launchers: `host slots=N` (DeepSpeed, OpenMPI; max_slots is read and not kept),
// `host:N` (MPICH, Horovod), `host N`, a plain list (a host named again has one more slot, as PBS writes it), Slurm's
// compressed lists; also Grid Engine's `host N queue@host range`, LSF's `host N host N`, GNU parallel's `N/host`, the
// SLURM_JOB_NODELIST=... of an environment. Of other words behind a host, user, port, ifname, count, np and gpus are
// taken. The port of `host:N slots=M` is N; so is that of `host:N` above 512, and of `host:22`.
#pragma once

#include "core/importednodes.h"

#include <QStringList>

namespace lockstep {

[[nodiscard]] Result<ImportedNodes> importHostfile(const QStringList& lines);

} // namespace lockstep
