// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runstate.h"

#include "core/exitreason.h"

#include <algorithm>

namespace lockstep {
namespace {

bool rankEnded(const RankState& rank)
{
    return rank.endedWallUs != 0;
}

} // namespace

QString words(RunPhase phase)
{
    return QString::fromLatin1(toString(phase));
}

QString words(RankPhase phase)
{
    switch (phase) {
    case RankPhase::Waiting:
        return QStringLiteral("waiting");
    case RankPhase::Starting:
        return QStringLiteral("starting");
    case RankPhase::Training:
        return QStringLiteral("training");
    case RankPhase::Finished:
        return QStringLiteral("finished");
    case RankPhase::Failed:
        return QStringLiteral("failed");
    case RankPhase::Victim:
        return QStringLiteral("ended with the others");
    case RankPhase::Stopped:
        return QStringLiteral("stopped");
    case RankPhase::Lost:
        return QStringLiteral("lost");
    }
    return {};
}

const char* toString(RunPhase phase)
{
    switch (phase) {
    case RunPhase::Planning:
        return "planning";
    case RunPhase::Deploying:
        return "deploying";
    case RunPhase::Starting:
        return "starting";
    case RunPhase::Running:
        return "running";
    case RunPhase::Stopping:
        return "stopping";
    case RunPhase::Finished:
        return "finished";
    case RunPhase::Failed:
        return "failed";
    case RunPhase::Stopped:
        return "stopped";
    case RunPhase::Lost:
        return "lost";
    }
    return "";
}

bool isOver(RunPhase phase)
{
    return phase == RunPhase::Finished || phase == RunPhase::Failed || phase == RunPhase::Stopped;
}

bool isOver(RankPhase phase)
{
    return phase == RankPhase::Finished || phase == RankPhase::Failed || phase == RankPhase::Victim ||
           phase == RankPhase::Stopped;
}

int RunState::exitCode() const
{
    if (phase == RunPhase::Finished)
        return 0;
    const auto coded = [&](int index) {
        return index >= 0 && index < ranks.size() ? exitCodeOf(ranks[index].exitCode, ranks[index].signal) : 0;
    };
    if (cause) {
        if (const int code = coded(cause->rank); code != 0)
            return code;
    }
    return 1;
}

QString RunState::proof() const
{
    int proven = 0, left = 0;
    QStringList open;
    for (int i = 0; i < nodes.size(); ++i) {
        if (nodes[i].left < 0) {
            open.append(nodes[i].name);
            continue;
        }
        left += nodes[i].left;
        proven += static_cast<int>(
            std::count_if(ranks.begin(), ranks.end(), [&](const RankState& rank) { return rank.nodeIndex == i; }));
    }
    if (open.size() == nodes.size())
        return {};
    const int gone = std::max(0, proven - left);
    QString text = QStringLiteral("%1 of %2 ranks gone, %3 left behind").arg(gone).arg(ranks.size()).arg(left);
    if (!open.isEmpty())
        text += QStringLiteral("; no answer yet from %1").arg(open.join(QLatin1String(", ")));
    return text;
}

RunState stateOf(const LaunchPlan& plan)
{
    RunState state;
    for (const PlannedNode& node : plan.nodes) {
        NodeRunState one;
        one.name = node.name;
        state.nodes.append(one);
    }
    for (const PlannedRank& planned : plan.ranks) {
        RankState rank;
        rank.rank = planned.rank;
        rank.localRank = planned.localRank;
        rank.nodeIndex = planned.nodeIndex;
        rank.device = planned.device;
        state.ranks.append(rank);
    }
    return state;
}

void beginAttempt(RunState& state, int attempt)
{
    if (attempt <= state.attempt)
        return;
    state.attempt = attempt;
    state.cause.reset();
    state.endedWallUs = 0;
    if (isOver(state.phase))
        state.phase = RunPhase::Starting;
    for (RankState& rank : state.ranks) {
        RankState fresh;
        fresh.rank = rank.rank;
        fresh.localRank = rank.localRank;
        fresh.nodeIndex = rank.nodeIndex;
        fresh.device = rank.device;
        rank = fresh;
    }
    for (NodeRunState& node : state.nodes) {
        node.ended = false;
        node.gone = 0;
        node.left = -1;
        node.stoppingWallUs = 0;
    }
}

void applyPhase(RunState& state, const PhaseChange& change)
{
    if (change.nodeIndex < 0 || change.nodeIndex >= state.nodes.size())
        return; // bytes from outside: a node that is not of this run
    if (change.rank < 0) {
        NodeRunState& node = state.nodes[change.nodeIndex];
        if (change.phase == QLatin1String("stopping")) {
            node.stoppingWallUs = change.wallUs;
        } else if (change.phase == QLatin1String("ended")) {
            node.ended = true;
            node.gone = std::max(0, change.gone);
            node.left = change.left;
        }
    } else if (change.rank < state.ranks.size() && state.ranks[change.rank].nodeIndex == change.nodeIndex) {
        RankState& rank = state.ranks[change.rank];
        if (change.pid > 0)
            rank.pid = change.pid;
        if (change.phase == QLatin1String("starting") && !isOver(rank.phase)) {
            rank.phase = RankPhase::Starting;
        } else if (change.phase == QLatin1String("running") && !isOver(rank.phase)) {
            rank.phase = RankPhase::Training;
            if (state.startedWallUs == 0)
                state.startedWallUs = change.wallUs;
        } else if (change.phase == QLatin1String("exited")) {
            rank.exitCode = change.code;
            rank.signal = change.signal;
            rank.endedWallUs = std::max<qint64>(1, change.wallUs);
            rank.reason = exitReason(change.code, change.signal, change.reason);
        }
    }
    settle(state);
}

void settle(RunState& state)
{
    state.cause = judge(state);
    if (isOver(state.phase))
        return; // it was all known, or somebody knew more than the spools say
    const bool any = !state.ranks.isEmpty();
    const bool allEnded = any && std::all_of(state.ranks.begin(), state.ranks.end(), rankEnded);
    const bool allNodes =
        std::all_of(state.nodes.begin(), state.nodes.end(), [](const NodeRunState& node) { return node.ended; });
    if (allEnded && allNodes) {
        qint64 last = 0;
        for (const RankState& rank : std::as_const(state.ranks))
            last = std::max(last, rank.endedWallUs);
        const bool fine = std::all_of(state.ranks.begin(), state.ranks.end(),
                                      [](const RankState& rank) { return rank.phase == RankPhase::Finished; });
        state.phase = fine ? RunPhase::Finished : state.cause ? RunPhase::Failed : RunPhase::Stopped;
        if (state.endedWallUs == 0)
            state.endedWallUs = last;
        if (state.cause)
            state.reason = state.cause->title;
        return;
    }
    if (state.phase == RunPhase::Lost)
        return; // whoever followed it knows that something of it lives on
    const bool stopping = std::any_of(state.nodes.begin(), state.nodes.end(),
                                      [](const NodeRunState& node) { return node.stoppingWallUs != 0; });
    const bool training = std::any_of(state.ranks.begin(), state.ranks.end(),
                                      [](const RankState& rank) { return rank.phase == RankPhase::Training; });
    if (stopping || state.cause)
        state.phase = RunPhase::Stopping;
    else if (training)
        state.phase = state.stopRequested ? RunPhase::Stopping : RunPhase::Running;
}

} // namespace lockstep
