// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/advice.h"

#include "ui/plots/figures.h"
#include "ui/plots/stepparts.h"

#include <algorithm>
#include <cmath>
#include <csignal>

namespace lockstep::ui {

namespace {

constexpr qsizetype kMostAdvice = 3;
constexpr double kUsPerSecond = 1e6;

const RankState* causeRank(const RunData& run)
{
    if (!run.state().cause)
        return nullptr;
    for (const RankState& rank : run.state().ranks)
        if (rank.rank == run.state().cause->rank)
            return &rank;
    return nullptr;
}

bool said(const FirstCause& cause, const QString& word)
{
    return std::any_of(cause.lastLines.begin(), cause.lastLines.end(),
                       [&](const QString& line) { return line.contains(word, Qt::CaseInsensitive); });
}

QList<Advice> reasonAdvice(const FirstCause& cause, const RankState& rank)
{
    const QString who = QStringLiteral("rank %1").arg(rank.rank);
    if (said(cause, QStringLiteral("out of memory")))
        return {{QStringLiteral("Make the batch of a rank smaller"),
                 QStringLiteral("%1 said that its device had no memory left.").arg(who)},
                {QStringLiteral("Or see what else runs on the device"),
                 QStringLiteral("Nodes › %1 lists its processes.").arg(cause.node)}};
    if (rank.signal == SIGKILL)
        return {
            {QStringLiteral("Look at the memory of %1").arg(cause.node),
             QStringLiteral(
                 "A SIGKILL that nobody sent is most often the kernel, out of memory: `dmesg | tail` there says so.")},
            {QStringLiteral("Or ask who else may end processes there"),
             QStringLiteral("A job scheduler and another user's script do it in the same way.")}};
    if (rank.signal > 0)
        return {{QStringLiteral("Read the last lines of %1").arg(who),
                 QStringLiteral("A crash in native code leaves its words on stderr, if any.")},
                {QStringLiteral("Run that rank alone under a debugger"),
                 QStringLiteral("Copy commands has its exact command.")}};
    if (said(cause, QStringLiteral("nan")))
        return {{QStringLiteral("Lower the learning rate or clip gradients"),
                 QStringLiteral("The loss of %1 was no number any more.").arg(who)}};
    if (said(cause, QStringLiteral("no such file")) || said(cause, QStringLiteral("not found")))
        return {{QStringLiteral("Put the missing file on %1").arg(cause.node),
                 QStringLiteral("It may be there on the other nodes only.")}};
    return {{QStringLiteral("Read the last lines of %1").arg(who),
             QStringLiteral("They are what it said before it ended.")}};
}

} // namespace

QString checkpointOf(const RunData& run)
{
    return run.info(0).value(QStringLiteral("checkpoint"));
}

QList<Advice> adviceFor(const RunData& run)
{
    const RankState* rank = causeRank(run);
    if (!rank)
        return {};
    QList<Advice> advice = reasonAdvice(*run.state().cause, *rank);
    const QString checkpoint = checkpointOf(run);
    if (!checkpoint.isEmpty())
        advice << Advice{QStringLiteral("Then continue from the last checkpoint"), checkpoint};
    else
        advice << Advice{QStringLiteral("Then launch it again"),
                         QStringLiteral("It wrote no checkpoint, so it begins at step 0.")};
    advice.resize(std::min(advice.size(), kMostAdvice));
    return advice;
}

QList<Evidence> evidenceFor(const RunData& run)
{
    const RankState* rank = causeRank(run);
    if (!rank)
        return {};
    const FirstCause& cause = *run.state().cause;
    QList<Evidence> evidence;
    const QString pid = rank->pid > 0 ? QStringLiteral("pid %1 ").arg(rank->pid) : QString();
    evidence << Evidence{QStringLiteral("supervisor"),
                         pid + rank->reason +
                             (rank->signal > 0 ? QStringLiteral(", not sent by Lockstep") : QString())};
    qint64 next = 0;
    for (const RankState& other : run.state().ranks)
        if (other.rank != rank->rank && other.endedWallUs > rank->endedWallUs &&
            (next == 0 || other.endedWallUs < next))
            next = other.endedWallUs;
    if (next > 0)
        evidence << Evidence{QStringLiteral("order"),
                             QStringLiteral("first of %1 ranks to end, %2 before the next")
                                 .arg(run.state().ranks.size())
                                 .arg(figures::age(static_cast<double>(next - rank->endedWallUs) / kUsPerSecond))};
    if (const Series* memory = rankSeries(run, rank->rank, QStringLiteral("proc/rss"), XAxis::Time);
        memory && memory->size() > 0)
        evidence << Evidence{
            QStringLiteral("memory"),
            QStringLiteral("the rank held %1 on %2").arg(figures::gibibytes(memory->lastY(), 1), cause.node)};
    return evidence;
}

RunSpec specToContinue(const RunData& run)
{
    RunSpec spec = run.spec();
    if (const QString checkpoint = checkpointOf(run); !checkpoint.isEmpty())
        spec.setOption(QStringLiteral("resume"), checkpoint.toUtf8());
    return spec;
}

} // namespace lockstep::ui
