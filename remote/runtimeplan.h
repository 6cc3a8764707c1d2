// SPDX-License-Identifier: GPL-3.0-or-later
// The part of a plan that says what is sent: each node's runtime with its bytes, and the user's folder. Worker thread.
#pragma once

#include "remote/launcher.h"

namespace lockstep {

// Reads what is to be sent, asks every node, and writes the answers into measured.plan: what does not fit, or can't be
// asked, is a problem of that node. Failure only when stopped.
[[nodiscard]] Result<void> planRuntimes(Measured& measured, const RunParts& parts, const RunSpec& spec,
                                        std::stop_token stop);

// GPU: a rank of the plan has one on this node.
[[nodiscard]] DeviceUse deviceUse(const LaunchPlan& plan, int nodeIndex);

// One node's part of it, for a deploy ahead of any plan too.
struct RuntimeRow {
    RuntimeChoice choice;
    Sourced shown; // "GPU trainer beside torch ...", "2.1 MB to send"
};
[[nodiscard]] Result<RuntimeRow> askRuntimeRow(const NodeLink& link, const NodeFacts& facts, const Program& program,
                                               DeviceUse use, std::stop_token stop);

} // namespace lockstep
