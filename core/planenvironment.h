// SPDX-License-Identifier: GPL-3.0-or-later
// The environment of a rank: what Lockstep sets, then the inventory's, then the spec's, byte for byte. Pure.
#pragma once

#include "core/launchplan.h"

namespace lockstep {

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
[[nodiscard]] Environment withNode(Environment own, const Node& node); // what the inventory says for its ranks
// The spec's for all, then its own for this node.
[[nodiscard]] Environment withSpec(Environment own, const RunSpec& spec, const QString& node);
[[nodiscard]] QStringList overriddenNames(const RunSpec& spec); // for all, and node by node

[[nodiscard]] QByteArray valueOf(const Environment& environment, const QByteArray& name); // empty: not set
void setValue(Environment& environment, const QByteArray& name, const QByteArray& value);

} // namespace lockstep
