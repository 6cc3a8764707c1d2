// SPDX-License-Identifier: GPL-3.0-or-later
// What runs of this user are on a node, and what one of them is: for leftovers, and for runs that another desktop
// launched. Worker thread.
#pragma once

#include "core/launchplan.h"
#include "core/noderun.h"
#include "remote/nodelink.h"
#include "remote/runstop.h"

namespace lockstep {

[[nodiscard]] Result<QList<NodeRun>> runsOn(const NodeLink& link, std::stop_token stop);

struct CleanedRun {
    QString run;
    StopProof proof;
};
// Ends what is left behind on a node (NodeRun::isLeftover), run by run.
[[nodiscard]] Result<QList<CleanedRun>> cleanNode(const RunParts& parts, const Node& node, std::stop_token stop);

struct RunPapers { // as the launch gave them to every node
    RunSpec spec;
    LaunchPlan plan;
    int attempt = 1;
};
// NotFound: the node has no such run, or it was launched by a Lockstep that left no papers.
[[nodiscard]] Result<RunPapers> papersOf(const NodeLink& link, const QString& run, std::stop_token stop);

// The papers as records of a job (remote/agent/README.md, "A launch").
void appendPapers(std::string& job, const RunSpec& spec, const LaunchPlan& plan);

} // namespace lockstep
