// SPDX-License-Identifier: GPL-3.0-or-later
// The values of core as JSON: the interface of --json. Fields are documented in docs/command-line.md; unknown values
// are null.
#pragma once

#include "core/nodestate.h"
#include "core/runstore.h"

#include <QJsonArray>
#include <QJsonObject>

namespace lockstep {

[[nodiscard]] QJsonObject toJson(const Error& error);                          // {error}, a whole answer
[[nodiscard]] QJsonObject failedNode(const QString& node, const Error& error); // {node, error}, in a list of nodes
[[nodiscard]] QJsonObject toJson(const NodeState& node);
[[nodiscard]] QJsonObject toJson(const LaunchPlan& plan);
[[nodiscard]] QJsonArray toJson(const QList<Problem>& problems);
[[nodiscard]] QJsonObject toJson(const RunSummary& run);
[[nodiscard]] QJsonObject toJson(const RunState& run);
[[nodiscard]] QJsonObject toJson(const RunData& run); // the state, and `facts`
[[nodiscard]] const char* toString(NodePhase phase);  // "ready", "unknown_host_key" …

} // namespace lockstep
