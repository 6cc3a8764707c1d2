// SPDX-License-Identifier: GPL-3.0-or-later
// How a run stands, folded from what is known: pure transitions, tested as tables.
#pragma once

#include "core/launchplan.h"

#include <QDateTime>

namespace lockstep {

enum class RunPhase { Planning, Deploying, Starting, Running, Stopping, Finished, Failed, Stopped, Lost };
enum class RankPhase { Waiting, Starting, Training, Finished, Failed, Victim, Stopped, Lost };
// Blocked: the node is there, and what it sends can't be kept on this machine's disk.
enum class LinkPhase { Connecting, Live, Stale, Reconnecting, Blocked, Ended };

[[nodiscard]] QString words(RunPhase phase);  // "running"
[[nodiscard]] QString words(RankPhase phase); // "training"
[[nodiscard]] const char* toString(RunPhase phase);
[[nodiscard]] bool isOver(RunPhase phase); // finished, failed, stopped
[[nodiscard]] bool isOver(RankPhase phase);
[[nodiscard]] std::optional<RunPhase> runPhaseOf(const QString& text); // of toString()

struct RankState {
    int rank = 0;
    int localRank = 0;
    int nodeIndex = 0;
    QString device;
    qint64 pid = 0;
    RankPhase phase = RankPhase::Waiting;
    QString reason; // "killed by SIGKILL", "exit code 3: loss is NaN"
    int exitCode = -1;
    int signal = 0;
    qint64 endedWallUs = 0; // corrected time; 0: not ended
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
    qint64 stoppingWallUs = 0;  // the supervisor began to stop its ranks; 0: it did not
    bool ended = false;
    int gone = 0;
    int left = -1;    // -1: no proof yet
    QString progress; // "sending 41 of 98 MB, 11 MB/s, 5 s left" while deploying

    bool operator==(const NodeRunState&) const = default;
};

struct FirstCause {
    int rank = -1;
    QString node;
    QString title;  // "Rank 5 on gpu2 was killed by SIGKILL"
    QString detail; // "SIGKILL at 13:22:41.318 · local rank 1 · step 6,204"
    QStringList lastLines;
    QList<int> victims;

    bool operator==(const FirstCause&) const = default;
};

struct RunState {
    QString id;     // 20261129-160401-demo-k3xa: start, name, chance
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

    [[nodiscard]] int
    exitCode() const; // 0 when finished, else the first failing rank's code (128 + signal), 1 when there is none
    [[nodiscard]] QString proof() const; // "4 of 4 ranks gone, 0 left behind", empty: none yet
};

// A phase record of the stream, with its time corrected.
struct PhaseChange {
    int nodeIndex = 0;
    int rank = -1;
    QString phase, reason;
    qint64 pid = 0;
    int code = -1, signal = 0, gone = -1, left = -1;
    int askedGraceS = -1; // a person asked for the stop, with this grace; -1: nobody did
    qint64 wallUs = 0;
    int attempt = 1;
};

[[nodiscard]] RunState stateOf(const LaunchPlan& plan);

// Transitions. Pure but for `state`; wrong nodes and ranks are ignored. The run itself is over when every rank and node
// has ended.
void applyPhase(RunState& state, const PhaseChange& change);
void beginAttempt(RunState& state,
                  int attempt); // a later one: ranks start anew; an older or the same one changes nothing
void settle(RunState& state);   // phases and cause that follow from what the ranks and nodes are known to be

// The earliest rank that failed by itself; the phases of ended ranks follow from it. None: nothing failed, or it was
// stopped on request.
[[nodiscard]] std::optional<FirstCause> judge(RunState& state);

[[nodiscard]] QByteArray toToml(const RunState& state); // runs/ID/state.toml
[[nodiscard]] Result<RunState> parseRunState(const QByteArray& toml, const QString& origin);

} // namespace lockstep
