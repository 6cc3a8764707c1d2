// SPDX-License-Identifier: GPL-3.0-or-later
// RunStore: how a run comes into the data folder.
#include "core/atomicfile.h"
#include "core/runstore.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QLockFile>
#include <QRandomGenerator>
#include <QRegularExpression>

#include <algorithm>

namespace lockstep {
namespace {

constexpr int kNumberLockMs = 10'000; // two desktops on one data folder

QString nameInId(const QString& name)
{
    constexpr qsizetype kMostName = 40;
    static const QRegularExpression kOther(QStringLiteral("[^a-z0-9]+"));
    QString tidy = name.toLower().replace(kOther, QStringLiteral("-")).left(kMostName);
    while (tidy.startsWith(u'-'))
        tidy.remove(0, 1);
    while (tidy.endsWith(u'-'))
        tidy.chop(1);
    return tidy.isEmpty() ? QStringLiteral("run") : tidy;
}

// Desktops that know nothing of each other, started by the same minute of cron say, must not meet on a node under one
// id.
QString chanceInId()
{
    constexpr char kLetters[] = "abcdefghijklmnopqrstuvwxyz234567";
    constexpr int kCount = 4; // 20 bits for runs of one second and one name
    QString chance;
    for (int i = 0; i < kCount; ++i)
        chance += QLatin1Char(kLetters[QRandomGenerator::system()->bounded(32)]);
    return chance;
}

Result<void> checkNodeNames(const LaunchPlan& plan)
{
    for (const PlannedNode& node : plan.nodes) {
        if (const Result<void> named = checkNodeName(node.name); !named) // it becomes the name of a spool
            return named;
    }
    return {};
}

} // namespace

// The next number, until the folder of its run is made.
struct RunStore::Numbering {
    std::unique_ptr<QLockFile> lock;
    int number = 0;
};

Result<RunStore::Numbering> RunStore::nextNumber()
{
    if (const Result<void> made = makePrivateFolder(m_folder.runsFolder()); !made)
        return std::unexpected(made.error());
    Numbering numbering{std::make_unique<QLockFile>(m_folder.path() + QStringLiteral("/numbers.lock"))};
    if (!numbering.lock->tryLock(kNumberLockMs)) {
        if (numbering.lock->error() == QLockFile::LockFailedError)
            return failure(
                ErrorCode::Busy,
                QStringLiteral("Another Lockstep holds %1; try again when it has answered.").arg(m_folder.path()));
        return failure(ErrorCode::Io, QStringLiteral("Nothing can be written into %1. Is there room, and may you write "
                                                     "there?")
                                          .arg(m_folder.path()));
    }
    const Result<QList<RunSummary>> known = list();
    if (!known)
        return std::unexpected(known.error());
    for (const RunSummary& run : *known)
        numbering.number = std::max(numbering.number, run.number);
    ++numbering.number;
    return numbering;
}

Result<void> RunStore::makeRunFolder(const QString& id)
{
    if (QDir().mkdir(m_folder.runFolder(id), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner))
        return {};
    return failure(QFileInfo::exists(m_folder.runFolder(id)) ? ErrorCode::Busy : ErrorCode::Io,
                   QStringLiteral("The folder %1 can't be made. Is there room, and may you write there?")
                       .arg(m_folder.runFolder(id)));
}

Result<RunState> RunStore::fill(const RunState& state, const RunSpec& spec, const LaunchPlan& plan)
{
    Result<void> saved = spec.save(m_folder.runFolder(state.id) + QStringLiteral("/spec.toml"));
    if (saved)
        saved = savePlan(state.id, plan);
    if (saved)
        saved = saveState(state);
    if (!saved)
        return std::unexpected(saved.error());
    return state;
}

Result<RunState> RunStore::create(const RunSpec& spec, const LaunchPlan& plan)
{
    if (const Result<void> named = checkNodeNames(plan); !named)
        return std::unexpected(named.error());
    const Result<Numbering> numbering = nextNumber();
    if (!numbering)
        return std::unexpected(numbering.error());
    RunState state = stateOf(plan);
    state.number = numbering->number;
    state.name = spec.name;
    const QDateTime now = QDateTime::currentDateTime();
    state.createdWallUs = now.toMSecsSinceEpoch() * 1000;
    state.id = QStringLiteral("%1-%2-%3")
                   .arg(now.toString(QStringLiteral("yyyyMMdd-HHmmss")), nameInId(spec.name), chanceInId());
    if (const Result<void> made = makeRunFolder(state.id); !made)
        return std::unexpected(made.error());
    return fill(state, spec, plan);
}

Result<RunState> RunStore::adopt(const QString& id, const RunSpec& spec, const LaunchPlan& plan, int attempt)
{
    if (!isRunId(id))
        return failure(ErrorCode::BadInput, QStringLiteral("\"%1\" is no run's id.").arg(id));
    if (const Result<void> named = checkNodeNames(plan); !named)
        return std::unexpected(named.error());
    const Result<Numbering> numbering = nextNumber();
    if (!numbering)
        return std::unexpected(numbering.error());
    RunState state = stateOf(plan);
    state.id = id;
    state.number = numbering->number;
    state.name = spec.name;
    state.attempt = attempt;
    state.phase = RunPhase::Running; // as far as is known; its spools say
    state.createdWallUs = createdOf(id).toMSecsSinceEpoch() * 1000;
    if (const Result<void> made = makeRunFolder(id); !made)
        return std::unexpected(made.error());
    return fill(state, spec, plan);
}

} // namespace lockstep
