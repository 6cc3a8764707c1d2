// SPDX-License-Identifier: GPL-3.0-or-later
// RunSession: what the nodes' spools and links say.
#include "core/nodehealth.h"
#include "remote/nodestopper.h"
#include "remote/resultsfetcher.h"
#include "remote/runlaunch.h"
#include "remote/runsession.h"
#include "remote/worldcheck.h"

#include <QLoggingCategory>

#include <algorithm>
#include <cmath>

namespace lockstep {

namespace {

Q_LOGGING_CATEGORY(logRun, "lockstep.run")

constexpr qsizetype kLastLines = 20; // of a rank's stderr, shown with the cause

// One node's records are shown at once; each of 64 wakes this machine less than three times a second, and is still
// heard well within the second after which it counts as silent.
constexpr std::chrono::milliseconds kGatherPerNode{6}, kMostGather{400};

std::chrono::milliseconds gatheringTime(qsizetype nodes)
{
    return std::min<std::chrono::milliseconds>(kMostGather, kGatherPerNode * (nodes - 1));
}

} // namespace

void RunSession::beginWork(std::size_t nodes)
{
    ++m_round;
    m_work.clear();
    m_work.resize(nodes);
}

void RunSession::follow(int nodeIndex, NodeLink link, FollowJob::Until until)
{
    NodeWork& work = m_work[static_cast<std::size_t>(nodeIndex)];
    work.follower.reset(); // it read the same copy
    FollowJob job{copyOf(nodeIndex),
                  m_nodes[nodeIndex],
                  m_agent,
                  m_parts.transports,
                  std::move(link),
                  until,
                  gatheringTime(m_nodes.size()),
                  m_parts.clockEvery};
    auto follower = std::make_unique<Follower>(std::move(job));
    connect(follower.get(), &Follower::updated, this,
            [this](const std::shared_ptr<const RunUpdate>& update) { heard(*update); });
    connect(follower.get(), &Follower::linkChanged, this, [this, nodeIndex, round = m_round](const LinkReport& report) {
        if (round == m_round)
            linkChanged(nodeIndex, report);
    });
    connect(follower.get(), &Follower::ended, this, [this, nodeIndex, round = m_round](const FollowEnd& end) {
        if (round == m_round)
            followEnded(nodeIndex, end);
    });
    follower->start();
    work.follower = std::move(follower);
    work.followed = false;
    if (until == FollowJob::Until::RunEnds)
        fetchResults(nodeIndex);
}

// One a node in the life of a session: a further attempt goes on in the same spool, and nothing of it is told twice.
std::shared_ptr<SpoolCopy> RunSession::copyOf(int nodeIndex)
{
    const QString& name = m_nodes[nodeIndex].name;
    std::shared_ptr<SpoolCopy>& copy = m_copies[name];
    if (copy && copy->origin().nodeIndex == nodeIndex) {
        copy->setClockOffsetUs(m_state.nodes[nodeIndex].clockOffsetUs);
        return copy;
    }
    copy = std::make_shared<SpoolCopy>(m_store, SpoolCopy::Origin{m_state.id, name, nodeIndex, startOf(m_state),
                                                                  m_state.nodes[nodeIndex].clockOffsetUs,
                                                                  copy ? copy->offset() : 0});
    return copy;
}

// Only by the program that drives the run: two would write into the same half files.
void RunSession::fetchResults(int nodeIndex)
{
    if (!m_claim || m_spec.results.isEmpty())
        return;
    m_work[static_cast<std::size_t>(nodeIndex)].fetched = false;
    m_store.ask(
        [id = m_state.id](RunStore& store) { return store.folder().resultsFolder(id); }, this,
        [this, nodeIndex, round = m_round](const QString& folder) {
            if (round != m_round)
                return; // another attempt begins
            auto fetcher = std::make_unique<ResultsFetcher>(
                ResultsJob{m_state.id, m_nodes[nodeIndex], m_agent, m_parts.transports, m_spec.results, folder});
            connect(fetcher.get(), &ResultsFetcher::fetched, this, [this](const ResultEntry& entry) {
                emit said(QStringLiteral("Fetched from %1: %2").arg(entry.node, QString::fromUtf8(entry.path)));
                emit resultFetched(entry);
            });
            connect(fetcher.get(), &ResultsFetcher::ended, this, [this, nodeIndex, round](const Result<void>& how) {
                if (round != m_round)
                    return;
                if (!how)
                    emit said(how.error().text);
                m_work[static_cast<std::size_t>(nodeIndex)].fetched = true;
                settled();
            });
            fetcher->start();
            m_work[static_cast<std::size_t>(nodeIndex)].results = std::move(fetcher);
        });
}

void RunSession::linkChanged(int nodeIndex, const LinkReport& report)
{
    NodeRunState& node = m_state.nodes[nodeIndex];
    const bool sameLink = node.link == report.phase && node.linkReason == report.reason;
    node.link = report.phase;
    node.linkReason = report.reason;
    node.lastHeardWallUs = report.lastHeardWallUs;
    node.spoolBytes = report.spoolBytes;
    node.spoolBytesThere = std::max(report.spoolBytesThere, report.spoolBytes);
    if (report.clock)
        lookAtClock(nodeIndex, *report.clock);
    if (!sameLink)
        settled();
    else if (!m_counted.isActive()) // each node tells every second: told on for all of them at once
        m_counted.start();
}

// Once a node, and not what the plan had said already.
void RunSession::lookAtClock(int nodeIndex, const ClockReading& clock)
{
    const NodeRunState& node = m_state.nodes[nodeIndex];
    const auto offsetUs = static_cast<double>(clock.offsetUs());
    const auto surelyMs = [&clock](double apartUs) {
        return (std::abs(apartUs) - static_cast<double>(clock.errorUs)) / 1000.0;
    };
    if (m_clocksSaid.contains(node.name) || surelyMs(offsetUs) <= kClockWarningMs ||
        surelyMs(offsetUs - static_cast<double>(node.clockOffsetUs)) <= kClockWarningMs)
        return;
    m_clocksSaid.insert(node.name);
    emit said(QStringLiteral("The clock of %1 is %2 beside this machine's, measured to ± %3 ms. Shown times are "
                             "corrected; time stamps in the ranks' own files are not. Does the node keep time (NTP)?")
                  .arg(node.name, signedMs(offsetUs / 1000.0))
                  .arg(static_cast<double>(clock.errorUs) / 1000.0, 0, 'f', 2));
}

void RunSession::heard(const RunUpdate& update)
{
    if (m_finished)
        return;
    if (m_watching == Watching::Replay) {
        emit updated(update);
        return;
    }
    for (const auto& [key, points] : update.points)
        if (key.attempt == m_state.attempt && key.rank >= 0 && key.rank < m_state.ranks.size() && !points.empty() &&
            points.back().step >= 0)
            m_state.ranks[key.rank].step = static_cast<qint64>(points.back().step);
    for (const LogLine& line : update.lines)
        if (line.kind == LogLine::Kind::Err && line.rank >= 0) {
            QStringList& lines = m_lastLines[line.rank];
            lines.append(line.text);
            if (lines.size() > kLastLines)
                lines.removeFirst();
        }
    const PhaseChange* asked = nullptr;
    for (const PhaseChange& change : update.phases) {
        if (change.attempt > m_state.attempt)
            attemptBegun(change.attempt);
        if (change.attempt != m_state.attempt)
            continue;
        applyPhase(m_state, change);
        if (change.askedGraceS >= 0)
            asked = &change;
    }
    emit updated(update);
    checkWorld(update);
    if (asked)
        stopAskedElsewhere(*asked);
    settled();
}

void RunSession::attemptBegun(int attempt)
{
    beginAttempt(m_state, attempt);
    m_attempt = std::max(m_attempt, attempt);
    m_others.stop();
    m_othersStopped = false;
    m_imposed.reset();
    m_lastLines.clear();
}

void RunSession::impose(const FirstCause& cause)
{
    if (!m_imposed)
        m_imposed = cause;
}

// What a rank says of itself, against the plan: ranks that each believe to be alone train alone, and look fine.
void RunSession::checkWorld(const RunUpdate& update)
{
    for (const auto& [rank, facts] : update.info) {
        if (rank == 0 && facts.contains(QStringLiteral("checkpoint"))) {
            m_checkpoint = facts.value(QStringLiteral("checkpoint"));
            m_checkpointStep = facts.value(QStringLiteral("checkpoint_step"), QStringLiteral("-1")).toLongLong();
        }
        if (m_imposed || m_watching != Watching::Live || update.attempt != m_state.attempt)
            continue;
        const auto wrong = wrongWorld(m_plan, m_nodes.value(update.nodeIndex).name, rank, facts);
        if (!wrong)
            continue;
        impose(*wrong);
        m_attempts.wouldRepeat = true;
        if (m_claim) // else the program that drives the run sees it too
            stopOthers();
    }
}

void RunSession::followEnded(int nodeIndex, const FollowEnd& end)
{
    NodeWork& work = m_work[static_cast<std::size_t>(nodeIndex)];
    work.followed = true;
    switch (end.how) {
    case FollowEnd::How::Ended:
        break;
    case FollowEnd::How::SupervisorLost:
        supervisorLost(nodeIndex, end);
        break;
    case FollowEnd::How::NeverStarted:
        neverStarted(nodeIndex, end);
        break;
    case FollowEnd::How::StoreFailed:
        m_state.nodes[nodeIndex].linkReason = end.error.text;
        emit said(end.error.text);
        break;
    }
    settled();
}

// Whoever launched the run ends it; whoever only looks at it says what is there, and leaves it to a person.
void RunSession::supervisorLost(int nodeIndex, const FollowEnd& end)
{
    NodeWork& work = m_work[static_cast<std::size_t>(nodeIndex)];
    const QString& name = m_nodes[nodeIndex].name;
    const bool nothingThere = end.left == 0;
    const bool ends = m_launchedHere || m_state.stopRequested || nothingThere;
    const QString title =
        nothingThere ? QStringLiteral("The supervisor on %1 is gone, and so are its ranks").arg(name)
        : ends       ? QStringLiteral("The supervisor on %1 is gone; its ranks are ended").arg(name)
                     : QStringLiteral("The supervisor on %1 is gone; %2 of its processes live on, and nothing records "
                                            "them. Stop ends them: \"lockstep stop %3\"")
                     .arg(name, end.left > 0 ? QString::number(end.left) : QStringLiteral("some"), m_state.id);
    qCWarning(logRun).noquote() << m_state.id << title;
    emit said(title);
    if (!m_state.cause)
        impose({-1, name, title, end.error.text, {}, {}});
    for (RankState& rank : m_state.ranks)
        if (rank.nodeIndex == nodeIndex && rank.endedWallUs == 0)
            rank.phase = RankPhase::Lost;
    m_state.nodes[nodeIndex].linkReason = title;
    if (ends)
        stopNode(nodeIndex, kOthersGraceS); // finds them by their tag, and proves it
    else
        work.offered = true;
}

void RunSession::neverStarted(int nodeIndex, const FollowEnd& end)
{
    const QString& name = m_nodes[nodeIndex].name;
    const bool ran = std::ranges::any_of(m_state.ranks, [nodeIndex](const RankState& rank) {
        return rank.nodeIndex == nodeIndex &&
               rank.phase != RankPhase::Waiting; // the copy here knows more than the node
    });
    const QString title =
        ran ? QStringLiteral("The run's folder is gone from %1; its ranks may live on there").arg(name)
            : QStringLiteral("%1 never started its ranks: the launch was cut off").arg(name);
    qCWarning(logRun).noquote() << m_state.id << title;
    emit said(title);
    if (!m_state.cause)
        impose({-1, name, title, end.error.text, {}, {}});
    for (RankState& rank : m_state.ranks)
        if (rank.nodeIndex == nodeIndex && rank.endedWallUs == 0)
            rank.phase = RankPhase::Lost;
    m_state.nodes[nodeIndex].linkReason = title;
}

} // namespace lockstep
