// SPDX-License-Identifier: GPL-3.0-or-later
// The verbs that talk to nodes: run, demo (in a terminal), plan, attach, stop, nodes check. Thread: main.
#pragma once

#include "app/desk.h"
#include "app/options.h"

namespace lockstep {

// The spec of the command line: the file (or the demo), then --nodes and --set.
[[nodiscard]] Result<RunSpec> specOf(const Options& options);

struct Chosen {
    RunSpec spec;
    QList<Node> nodes;
};
[[nodiscard]] Result<Chosen> chooseNodes(const Options& options, const Desk& desk); // the spec's, of the inventory

// Of the inventory; empty: all its nodes. An inventory without a node is an error.
[[nodiscard]] Result<QList<Node>> selectNodes(const QString& selection, const Desk& desk);

// What doctor and deploy are about: a spec, a selection of the inventory, or all of it.
struct Target {
    std::optional<RunSpec> spec; // none: only nodes were named
    QList<Node> nodes;
};
[[nodiscard]] Result<Target> targetOf(const Options& options, const Desk& desk);

// run and demo; `draw`, where there is one, gets the run at its end.
[[nodiscard]] int runCommand(const Options& options, const Desk& desk, const std::function<void(const RunData&)>& draw);
[[nodiscard]] int planCommand(const Options& options, const Desk& desk);
[[nodiscard]] int attachCommand(const Options& options, const Desk& desk); // attach and stop
[[nodiscard]] int checkNodes(const Options& options, const Desk& desk);

} // namespace lockstep
