// SPDX-License-Identifier: GPL-3.0-or-later
// A deploy ahead of any launch: every node for itself, so that one that fails keeps none from being filled.
#pragma once

#include "remote/launcher.h"

namespace lockstep {

struct DeployedNode {
    QString node;
    QString runtime; // in words; empty: it did not come so far
    Result<Deployed> result;
    bool passedOn = false; // it came from another node (relay)
};

enum class Relay { Off, On };

struct DeployAhead {
    QList<Node> nodes;
    std::optional<RunSpec>
        spec; // its plan decides who uses GPUs, and its folder is sent too; none: who has GPUs uses them
    Relay relay = Relay::Off;
    std::function<void(const QString& node, const QString& words)> progressed; // from the nodes' threads
};

// In the order of the nodes. Failure: the plan or the program could not be made; nothing was sent.
[[nodiscard]] Result<std::vector<DeployedNode>> deployAhead(const RunParts& parts, const DeployAhead& order,
                                                            std::stop_token stop);

} // namespace lockstep
