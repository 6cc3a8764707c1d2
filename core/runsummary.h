// SPDX-License-Identifier: GPL-3.0-or-later
// A row of the Runs page.
#pragma once

#include "core/runstate.h"

#include <QStringList>

#include <limits>
#include <vector>

namespace lockstep {

class SpoolFile;

inline constexpr int kSparklineValues = 88;

struct RunSummary {
    QString id;
    int number = 0;
    QString name;
    RunPhase phase = RunPhase::Planning;
    QString reason;
    int nodes = 0, ranks = 0;
    qint64 createdWallUs = 0, endedWallUs = 0;
    double lastLoss = std::numeric_limits<double>::quiet_NaN(); // NaN: none
    std::vector<float> sparkline;                               // up to kSparklineValues
    QStringList tags;
    QString note;
};

[[nodiscard]] RunSummary summaryOf(const RunState& state);

// Rank 0's loss out of its node's spool. Reads a bounded part of a large spool: its price does not grow with the run.
void addLossCurve(RunSummary& summary, SpoolFile& spool);

} // namespace lockstep
