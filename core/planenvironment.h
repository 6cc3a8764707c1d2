// SPDX-License-Identifier: GPL-3.0-or-later
// The environment of a rank: what Lockstep sets, then the spec's, byte for byte. Of the desktop's only what the spec
// names.
#pragma once

#include "core/launchplan.h"

namespace lockstep {

// The kernel's MAX_ARG_STRLEN is 128 KiB with the closing NUL, for an argument and for NAME=value alike.
inline constexpr qsizetype kMaxArgumentBytes = 128 * 1024 - 1;

struct RankPlace {
    int rank = 0, localRank = 0, worldSize = 1, localWorldSize = 1, nodeRank = 0;
    QString masterAddr;
    int masterPort = 0;
    QString interface;          // empty: not known
    QList<DeviceFacts> devices; // of the node's ranks; empty: CPU
    int threads = 1;
    int ranksPerDevice = 1;
};

[[nodiscard]] Environment ownEnvironment(const RankPlace& place);
[[nodiscard]] bool isOwnVariable(const QByteArray& name);              // Lockstep sets it: only [env_override] may
[[nodiscard]] QList<Problem> checkEnvironment(const RunSpec& spec);    // names and sizes, of arguments too
[[nodiscard]] Environment withNode(Environment own, const Node& node); // what the inventory says for its ranks
// The spec's for all, then its own for this node.
[[nodiscard]] Environment withSpec(Environment own, const RunSpec& spec, const QString& node);
[[nodiscard]] QStringList overriddenNames(const RunSpec& spec); // for all, and node by node

// The variables of the desktop that the spec's pass_env names; what must not be copied is a Problem.
struct PassedEnvironment {
    Environment variables;
    QList<Problem> problems;
};
[[nodiscard]] PassedEnvironment passedEnvironment(const RunSpec& spec, const Environment& desktopEnv);

// Names in the desktop's environment that would steer a launch (of Slurm, Open MPI, torchrun ...). None reaches a rank;
// this is to say so.
[[nodiscard]] QStringList launchVariables(const Environment& desktopEnv);

[[nodiscard]] QByteArray valueOf(const Environment& environment, const QByteArray& name); // empty: not set
void setValue(Environment& environment, const QByteArray& name, const QByteArray& value);

} // namespace lockstep
