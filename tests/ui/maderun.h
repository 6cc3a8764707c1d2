// SPDX-License-Identifier: GPL-3.0-or-later
// Runs with made-up data, fed as spool text through RunDecoder: what the screens show came the way it always comes.
// Seeds are fixed; times end at `nowWallUs`, so that a live run is live.
#pragma once

#include "core/rundata.h"

#include <memory>

namespace lockstep::made {

[[nodiscard]] std::unique_ptr<RunData> liveRun(qint64 nowWallUs); // 2 nodes × 4 H100, rank 6 slow and worst
[[nodiscard]] std::unique_ptr<RunData>
wideRun(qint64 nowWallUs); // 8 × 8, gpu6 without link, a NaN, gpu7 waits for data
[[nodiscard]] std::unique_ptr<RunData> failedRun(qint64 nowWallUs); // 2 × 4, rank 5 killed
[[nodiscard]] std::unique_ptr<RunData> demoRun(qint64 nowWallUs);   // this machine, two ranks on the CPU
void fillLive(RunData& run, qint64 nowWallUs);                      // the same into a run of a list
void fillWide(RunData& run, qint64 nowWallUs);
void fillFailed(RunData& run, qint64 nowWallUs);
void fillDemo(RunData& run, qint64 nowWallUs);
// A plan and a live state of `nodes` × `ranksEach` without a record yet.
[[nodiscard]] std::unique_ptr<RunData> emptyRun(int nodes, int ranksEach, qint64 nowWallUs);
// Feeds records of one node; made with wire::Encoder.
void feed(RunData& run, int nodeIndex, std::string_view spool);
// The first record of a node's spool: its monotonic clock is 0 at the run's start.
[[nodiscard]] std::string hello(const RunData& run, int nodeIndex);

} // namespace lockstep::made
