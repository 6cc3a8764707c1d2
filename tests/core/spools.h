// SPDX-License-Identifier: GPL-3.0-or-later
// Runs and spools for the tests of core: two nodes with two ranks each, records written as on the nodes.
#pragma once

#include "core/launchplan.h"

#include <QByteArray>

namespace lockstep::test {

inline constexpr qint64 kStartUs = 1'796'000'000'000'000; // the run's start on our clock

inline LaunchPlan twoByTwo()
{
    LaunchPlan plan;
    plan.worldSize = 4;
    for (int n = 0; n < 2; ++n) {
        PlannedNode node;
        node.name = QStringLiteral("gpu%1").arg(n + 1);
        node.firstRank = n * 2;
        node.rankCount = 2;
        plan.nodes.append(node);
        for (int local = 0; local < 2; ++local) {
            PlannedRank rank;
            rank.rank = n * 2 + local;
            rank.localRank = local;
            rank.nodeIndex = n;
            rank.device = QStringLiteral("cpu");
            plan.ranks.append(rank);
        }
    }
    return plan;
}

// A supervisor's first record: monotonic time `monoUs` is our `wallUs`, on a node whose clock is `aheadUs` before ours.
inline QByteArray hello(qint64 monoUs, qint64 wallUs, qint64 aheadUs = 0, int attempt = 1)
{
    return "hello - " + QByteArray::number(monoUs) + " version=1 agent=0.1.0 attempt=" + QByteArray::number(attempt) +
           " wall_us=" + QByteArray::number(wallUs + aheadUs) + "\n";
}

} // namespace lockstep::test
