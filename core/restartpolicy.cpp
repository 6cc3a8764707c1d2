// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/restartpolicy.h"

#include "core/planenvironment.h"

#include <algorithm>

namespace lockstep {
namespace {

// Exit codes of lockstep-trainer (trainer/failure.h) that the same input brings again, bit for bit.
constexpr int kOptions = 2, kNanLoss = 8, kMismatch = 10;

bool failsAgain(const RunState& state)
{
    const RankState rank = state.cause ? state.ranks.value(state.cause->rank) : RankState();
    return rank.signal == 0 && (rank.exitCode == kOptions || rank.exitCode == kNanLoss || rank.exitCode == kMismatch);
}

} // namespace

Again startAgain(const RunSpec& spec, const RunState& state, const AttemptsSoFar& soFar)
{
    if (state.stopRequested || !state.cause || soFar.wouldRepeat || state.phase == RunPhase::Stopped ||
        state.phase == RunPhase::Finished)
        return Again::No;
    const bool isPortChosen = spec.masterPort == 0 && valueOf(spec.envOverride, "MASTER_PORT").isEmpty();
    if (soFar.portTaken && !soFar.portRetried && isPortChosen)
        return Again::OtherPort;
    if (soFar.restarts >= spec.restarts || failsAgain(state))
        return Again::No;
    return Again::NewAttempt;
}

std::chrono::seconds pauseBefore(int restart)
{
    constexpr int kFirstS = 2, kMostS = 60, kDoublings = 5;
    return std::chrono::seconds(std::min(kMostS, kFirstS << std::clamp(restart - 1, 0, kDoublings)));
}

RunSpec resumed(const RunSpec& spec, Checkpoints ofThisRun)
{
    const QByteArray folder = spec.option(QStringLiteral("checkpoint"));
    const QByteArray from = spec.option(QStringLiteral("resume"));
    RunSpec next = spec;
    if (folder.isEmpty() || (ofThisRun == Checkpoints::None && !from.isEmpty() && from != folder))
        return next;
    next.setOption(QStringLiteral("resume"), folder);
    if (spec.option(QStringLiteral("resume_older")).isEmpty()) // killed while it was written: the one before is good
        next.setOption(QStringLiteral("resume_older"), "yes");
    return next;
}

} // namespace lockstep
