// SPDX-License-Identifier: GPL-3.0-or-later
// Which CPUs each rank of a node keeps to, and how many threads it gets. Pure.
#pragma once

#include "core/launchplan.h"
#include "core/rankshares.h"

namespace lockstep {

struct RankCpus {
    QStringList ofRank; // by local rank: 0-15,32-47; empty: all that the node gives
    int threads = 1;    // a rank's share of the cores that may be used
    Sourced shown;      // "NUMA 0, 1", "ranks 0, 1: 0-15; ..."
};

[[nodiscard]] RankCpus cpusOfRanks(const NodeFacts& facts, const NodeShare& share, int ranksPerDevice,
                                   Affinity affinity);

// "0-3,8" -> 0 1 2 3 8; what is no list gives none.
[[nodiscard]] QList<int> cpuNumbers(const QString& text);
[[nodiscard]] QString cpuText(const QList<int>& cpus); // ascending

} // namespace lockstep
