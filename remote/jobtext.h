// SPDX-License-Identifier: GPL-3.0-or-later
// A node's part of a plan as the job that `lockstep-agent launch` reads (remote/agent/README.md). Pure.
#pragma once

#include "core/launchplan.h"

#include <string>
#include <string_view>

namespace lockstep {

struct JobOptions {
    QString run;
    int attempt = 1;
    int graceS = 10;
    int holdS = 60; // how long a prepared node waits for `go`
    QByteArray bundlePath;
    std::string papers;   // records that say what the run is (noderuns.h)
    QByteArray filesPath; // of the user's folder on the node; empty: none
    QByteArray directory; // where the ranks work: absolute, or inside the copy of filesPath
};

// A value as records of `kind`: the first piece is `v`, the rest `more`. An empty name is left out.
void appendPieces(std::string& job, std::string_view kind, int rank, std::string_view name, const QByteArray& value);

[[nodiscard]] QByteArray jobText(const LaunchPlan& plan, int nodeIndex, const JobOptions& options);

} // namespace lockstep
