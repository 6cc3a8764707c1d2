// SPDX-License-Identifier: GPL-3.0-or-later
// What the rank table says: a row a rank, its trouble found and put in words, sorted by trouble. Pure.
#pragma once

#include "core/rundata.h"
#include "ui/widgets/cell.h"

#include <QList>

namespace lockstep::ui {

// In the order of the table: what needs a look comes first.
enum class RankTrouble { Cause, Failed, NonFinite, NoNews, Slow, WorstLoss, WaitsForData, None, Victim, Ended };

struct RankRow {
    int rank = 0;
    int nodeIndex = 0;
    QString device;
    RankTrouble trouble = RankTrouble::None;
    Icon icon = Icon::Run;
    Tone tone = Tone::Running;
    QString words;
    qint64 endedWallUs = 0;
    qint64 step = -1;
    double loss = 0, samplesPerS = 0, wait = 0, util = 0,
           memory = 0;   // NaN: unknown; wait in [0, 1], util in percent, bytes
    double excessMs = 0; // of a slow rank: its own computing above the others' median
    bool stale = false;  // its node sends nothing now

    bool operator==(const RankRow& other) const;
};

[[nodiscard]] QList<RankRow> rankRows(const RunData& run, qint64 nowWallUs);

// By rank: how many ms a step it computes longer than the others in nearly all of the last 20 steps; 0: it does not.
// Its own computing, not the step: all-reduce makes all steps equally long.
[[nodiscard]] std::vector<double> slowness(const RunData& run);

} // namespace lockstep::ui
