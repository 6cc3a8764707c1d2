// SPDX-License-Identifier: GPL-3.0-or-later
// How a run stands, folded from what is known: pure transitions, tested as tables.
#pragma once

#include "core/launchplan.h"

#include <QDateTime>

namespace lockstep {

enum class RunPhase { Planning, Deploying, Starting, Running, Stopping, Finished, Failed, Stopped, Lost };
enum class RankPhase { Waiting, Starting, Training, Finished, Failed, Victim, Stopped, Lost };
enum class LinkPhase { Connecting, Live, Stale, Reconnecting, Ended };

[[nodiscard]] QString words(RunPhase phase);  // "running"
[[nodiscard]] QString words(RankPhase phase); // "training"
[[nodiscard]] const char* toString(RunPhase phase);
[[nodiscard]] bool isOver(RunPhase phase); // finished, failed, stopped

struct RankState {
    int rank = 0;
    int localRank = 0;
    int nodeIndex = 0;
    QString device;
    qint64 pid = 0;
    RankPhase phase = RankPhase::Waiting;
    QString reason;             // "killed by SIGKILL", "exit code 3: loss is NaN"
    int exitCode = -1;
    int signal = 0;
    qint64 endedWallUs = 0;     // corrected time; 0: not ended
    qint64 step = -1;

    bool operator==(const RankState&) const = default;
};

struct NodeRunState {
    QString name;
    LinkPhase link = LinkPhase::Connecting;
    QString linkReason;
    qint64 lastHeardWallUs = 0;
    qint64 spoolBytes = 0;      // here
    qint64 spoolBytesThere = 0; // as the last beat said
    qint64 clockOffsetUs = 0;   // node's wall clock minus ours
    bool ended = false;
    int gone = 0;
    int left = -1;              // -1: no proof yet
    QString progress;           // "sending 41 of 98 MB, 11 MB/s, 5 s left" while deploying

    bool operator==(const NodeRunState&) const = default;
};

struct FirstCause {
    int rank = -1;
    QString node;
    QString title;      // "Rank 5 on gpu2 was killed by SIGKILL"
    QString detail;     // "SIGKILL at 13:22:41.318 · local rank 1 · step 6,204"
    QStringList lastLines;
    QList<int> victims;

    bool operator==(const FirstCause&) const = default;
};

struct RunState {
    QString id;    // 20261129-160401-demo
    int number = 0; // "#12": counts the runs of this data folder
    QString name;
    int attempt = 1;
    RunPhase phase = RunPhase::Planning;
    QString reason;
    bool stopRequested = false;
    qint64 createdWallUs = 0;
    qint64 startedWallUs = 0;
    qint64 endedWallUs = 0;
    QList<NodeRunState> nodes;
    QList<RankState> ranks;
    std::optional<FirstCause> cause;

    bool operator==(const RunState&) const = default;

    [[nodiscard]] int exitCode() const; // 0 when finished, else the first failing rank's code (128 + signal), 1 when there is none
    [[nodiscard]] QString proof() const; // "4 of 4 ranks gone, 0 left behind", empty: none yet
};

[[nodiscard]] RunState stateOf(const LaunchPlan& plan);

} // namespace lockstep
