// SPDX-License-Identifier: GPL-3.0-or-later
// From a spec to running ranks, on all nodes or on none: probe, plan, port, deploy, prepare, go. Straight-line
// functions for a worker thread; each step runs on all nodes at once.
#pragma once

#include "core/launchplan.h"
#include "core/runstate.h"
#include "remote/masterport.h"
#include "remote/noderuntime.h"
#include "remote/userfolder.h"

#include <vector>

namespace lockstep {

struct LaunchEvents { // called from the flow's threads, any of them may be empty
    std::function<void(RunPhase)> phase;
    std::function<void(const LaunchPlan&)> planned;              // with the port, before anything is sent
    std::function<void(int nodeIndex, const QString&)> progress; // NodeRunState::progress
};

struct Measured {
    LaunchPlan plan;
    std::vector<NodeLink> links; // in the order of plan.nodes
    std::vector<Probed> probes;
    // What is sent; empty when it could not be read or asked, and the plan's problems say why.
    std::vector<RuntimeChoice> runtimes; // in the order of plan.nodes
    std::shared_ptr<const Program> program;
    std::shared_ptr<const UserFolder> folder;
    std::shared_ptr<HeldPort> port; // the master's, held until this goes or it is released; null: there is none
};

// Everything a launch checks, nothing started: `lockstep plan`, the Launch page's “Measure again”. A plan that can't be
// launched is no error here; its problems say why.
[[nodiscard]] Result<Measured> measurePlan(const RunParts& parts, const RunSpec& spec, const QList<Node>& nodes,
                                           std::stop_token stop);

// The first problem that stops the launch of a plan, as an Error.
[[nodiscard]] Error notLaunchable(const LaunchPlan& plan);

struct LaunchId {
    QString run;
    int attempt = 1;
};

struct LaunchedNode {
    NodeLink link;
    Probed probed;
    Deployed deployed;
    QByteArray filesPath; // of the user's folder there; empty: none
};

struct Launched {
    LaunchPlan plan;
    AgentFile agent;                 // that every node has now
    std::vector<LaunchedNode> nodes; // in the order of plan.nodes
    qint64 goWallUs = 0;
};

// The Error names the node; what had been started elsewhere is gone again.
[[nodiscard]] Result<Launched> launchRun(const RunParts& parts, const RunSpec& spec, const QList<Node>& nodes,
                                         const LaunchId& id, const LaunchEvents& events, std::stop_token stop);

} // namespace lockstep
