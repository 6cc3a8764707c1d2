// SPDX-License-Identifier: GPL-3.0-or-later
// Which rank failed first, and which only followed. Recomputed from the whole state, so the order in which nodes are
// heard is no matter.
#include "core/exitreason.h"
#include "core/runstate.h"

#include <QLocale>

#include <algorithm>
#include <csignal>

namespace lockstep {
namespace {

bool failed(const RankState& rank)
{
    return rank.endedWallUs != 0 && (rank.exitCode != 0 || rank.signal != 0);
}

bool stoppedByUs(const RunState& state, const RankState& rank)
{
    const qint64 stopping = state.nodes.value(rank.nodeIndex).stoppingWallUs;
    return stopping != 0 && rank.endedWallUs >= stopping;
}

bool lostPeer(const RankState& rank)
{
    return rank.signal == 0 && rank.exitCode == kLostPeerCode;
}

// A crash of its own, wherever it stands in time; SIGABRT and exit codes are what a lost peer looks like in other
// programs.
bool ownCrash(const RankState& rank)
{
    return rank.signal == SIGSEGV || rank.signal == SIGBUS || rank.signal == SIGILL || rank.signal == SIGFPE ||
           rank.signal == SIGKILL;
}

QString timeOfDay(qint64 wallUs)
{
    return QDateTime::fromMSecsSinceEpoch(wallUs / 1000).toString(QStringLiteral("HH:mm:ss.zzz"));
}

FirstCause causeOf(const RunState& state, const RankState& rank)
{
    FirstCause cause;
    cause.rank = rank.rank;
    cause.node = state.nodes.value(rank.nodeIndex).name;
    const QString who = QStringLiteral("Rank %1 on %2 ").arg(rank.rank).arg(cause.node);
    if (rank.signal > 0)
        cause.title =
            who + (rank.reason.startsWith(QLatin1String("killed")) ? QStringLiteral("was ") : QString()) + rank.reason;
    else
        cause.title = who + (lostPeer(rank) ? rank.reason : QStringLiteral("ended with ") + rank.reason);
    QStringList parts{(rank.signal > 0 ? signalName(rank.signal) : QStringLiteral("exit code %1").arg(rank.exitCode)) +
                      QStringLiteral(" at ") + timeOfDay(rank.endedWallUs)};
    parts.append(QStringLiteral("local rank %1").arg(rank.localRank));
    if (rank.step >= 0)
        parts.append(QStringLiteral("step %1").arg(QLocale(QLocale::English).toString(rank.step)));
    if (rank.signal == SIGKILL)
        parts.append(QStringLiteral("nobody here sent it: often the kernel, out of memory"));
    cause.detail = parts.join(QStringLiteral(" · "));
    return cause;
}

} // namespace

std::optional<FirstCause> judge(RunState& state)
{
    const RankState* first = nullptr;
    for (int pass = 0; pass < 2 && !first;
         ++pass) { // a rank that only lost its peer is a cause where there is no better one
        for (const RankState& rank : std::as_const(state.ranks)) {
            if (failed(rank) && !stoppedByUs(state, rank) && (pass == 1 || !lostPeer(rank)) &&
                (!first || rank.endedWallUs < first->endedWallUs))
                first = &rank;
        }
    }
    // Asked to stop, a rank may end in any way it likes: that is no failure.
    std::optional<FirstCause> cause;
    if (first && !(state.stopRequested && lostPeer(*first)))
        cause = causeOf(state, *first);
    for (RankState& rank : state.ranks) {
        if (rank.endedWallUs == 0) {
            const bool proven = state.nodes.value(rank.nodeIndex).left == 0;
            if (proven && (rank.phase == RankPhase::Starting || rank.phase == RankPhase::Training))
                rank.phase = RankPhase::Lost; // gone, and its supervisor did not live to say how
            continue;
        }
        if (!failed(rank))
            rank.phase = RankPhase::Finished;
        else if (cause && rank.rank == cause->rank)
            rank.phase = RankPhase::Failed;
        else if (cause && (stoppedByUs(state, rank) || lostPeer(rank) || !ownCrash(rank)))
            rank.phase = RankPhase::Victim;
        else
            rank.phase = cause ? RankPhase::Failed : RankPhase::Stopped;
        if (rank.phase == RankPhase::Victim)
            cause->victims.append(rank.rank);
    }
    if (cause && state.cause && state.cause->rank == cause->rank)
        cause->lastLines = state.cause->lastLines;
    return cause;
}

} // namespace lockstep
