// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes out of what Slurm writes as Key=Value records (scontrol show job, node, partition, with -o or without;
// slurm.conf, gres.conf) and as JSON (squeue, sinfo, scontrol with --json). Partitions and features become tags, GPUs
// the slots. Also JSON lists of hosts: [{"ssh": "gpu1", ...}], ["gpu1", "gpu2"].
#pragma once

#include "core/importednodes.h"

#include <QStringList>

namespace lockstep {

[[nodiscard]] bool isSlurmRecords(const QStringList& lines);
[[nodiscard]] Result<ImportedNodes> importSlurmRecords(const QStringList& lines);

[[nodiscard]] bool isSlurmJson(const QString& text); // any JSON
[[nodiscard]] Result<ImportedNodes> importSlurmJson(const QString& text);

} // namespace lockstep
