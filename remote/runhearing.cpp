// SPDX-License-Identifier: GPL-3.0-or-later
// RunSession: what the nodes' spools and links say.
#include "remote/nodestopper.h"
#include "remote/resultsfetcher.h"
#include "remote/runlaunch.h"
#include "remote/runsession.h"

#include <QLoggingCategory>

namespace lockstep {

namespace {

Q_LOGGING_CATEGORY(logRun, "lockstep.run")

constexpr qsizetype kLastLines = 20; // of a rank's stderr, shown with the cause

} // namespace

void RunSession::follow(int nodeIndex, NodeLink link, FollowJob::Until until)
{
    const auto agent = AgentFile::load(m_parts.agentFile);
    if (!agent) {
        refuse(agent.error());
        return;
    }
    const Node& node = m_nodes[nodeIndex];
    FollowJob job{{m_state.id, node.name, nodeIndex,
                   m_state.startedWallUs ? m_state.startedWallUs : m_state.createdWallUs,
                   m_state.nodes[nodeIndex].clockOffsetUs},
                  node,
                  *agent,
                  m_parts.transports,
                  std::move(link),
                  until};
    auto follower = std::make_unique<Follower>(std::move(job), m_store);
    connect(follower.get(), &Follower::updated, this, &RunSession::heard);
    connect(follower.get(), &Follower::linkChanged, this,
            [this, nodeIndex](const LinkReport& report) { linkChanged(nodeIndex, report); });
    connect(follower.get(), &Follower::ended, this,
            [this, nodeIndex](const FollowEnd& end) { followEnded(nodeIndex, end); });
    follower->start();
    m_work[static_cast<std::size_t>(nodeIndex)] = NodeWork{std::move(follower), nullptr, nullptr, false, true, true};
    if (until == FollowJob::Until::RunEnds && !m_spec.results.isEmpty())
        fetchResults(nodeIndex);
}

void RunSession::fetchResults(int nodeIndex)
{
    const auto agent = AgentFile::load(m_parts.agentFile);
    NodeWork& work = m_work[static_cast<std::size_t>(nodeIndex)];
    work.fetched = false;
    m_store.ask([id = m_state.id](RunStore& store) { return store.folder().resultsFolder(id); }, this,
                [this, nodeIndex, agent](const QString& folder) {
                    if (m_work.size() <= static_cast<std::size_t>(nodeIndex) || !agent)
                        return;
                    auto fetcher = std::make_unique<ResultsFetcher>(
                        ResultsJob{m_state.id, m_nodes[nodeIndex], *agent, m_parts.transports, m_spec.results, folder});
                    connect(fetcher.get(), &ResultsFetcher::fetched, this, [this](const ResultEntry& entry) {
                        emit said(QStringLiteral("Fetched from %1: %2").arg(entry.node, QString::fromUtf8(entry.path)));
                        emit resultFetched(entry);
                    });
                    connect(fetcher.get(), &ResultsFetcher::ended, this, [this, nodeIndex](const Result<void>& how) {
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
    node.link = report.phase;
    node.linkReason = report.reason;
    node.lastHeardWallUs = report.lastHeardWallUs;
    node.spoolBytes = report.spoolBytes;
    node.spoolBytesThere = std::max(report.spoolBytesThere, report.spoolBytes);
    settled();
}

void RunSession::heard(const RunUpdate& update)
{
    if (m_replay) {
        emit updated(update);
        return;
    }
    for (const auto& [key, points] : update.points)
        if (key.rank >= 0 && key.rank < m_state.ranks.size() && !points.empty() && points.back().step >= 0)
            m_state.ranks[key.rank].step = static_cast<qint64>(points.back().step);
    for (const LogLine& line : update.lines)
        if (line.kind == LogLine::Kind::Err && line.rank >= 0) {
            QStringList& lines = m_lastLines[line.rank];
            lines.append(line.text);
            if (lines.size() > kLastLines)
                lines.removeFirst();
        }
    for (const PhaseChange& change : update.phases) {
        beginAttempt(m_state, change.attempt);
        if (change.attempt == m_state.attempt)
            applyPhase(m_state, change);
    }
    emit updated(update);
    checkWorld(update);
    settled();
}

void RunSession::checkWorld(const RunUpdate& update)
{
    for (const auto& [rank, facts] : update.info) {
        const auto world = facts.constFind(QStringLiteral("world"));
        if (world == facts.constEnd() || world->toInt() == m_plan.worldSize || m_imposed)
            continue;
        m_imposed = FirstCause{rank,
                               m_nodes.value(update.nodeIndex).name,
                               QStringLiteral("Rank %1 trains in a world of %2, the plan has %3")
                                   .arg(rank)
                                   .arg(*world)
                                   .arg(m_plan.worldSize),
                               QStringLiteral("Each group would train alone and look fine; the run was ended at once"),
                               {},
                               {}};
        stopOthers();
    }
}

void RunSession::followEnded(int nodeIndex, const FollowEnd& end)
{
    NodeWork& work = m_work[static_cast<std::size_t>(nodeIndex)];
    work.followed = true;
    const QString& name = m_nodes[nodeIndex].name;
    switch (end.how) {
    case FollowEnd::How::Ended:
        break;
    case FollowEnd::How::SupervisorLost:
    case FollowEnd::How::NeverStarted: {
        const bool lost = end.how == FollowEnd::How::SupervisorLost;
        const bool ran = m_state.nodes[nodeIndex].spoolBytes > 0; // the copy here knows more than the node
        const QString title =
            lost  ? QStringLiteral("The supervisor on %1 is gone; its ranks are ended").arg(name)
            : ran ? QStringLiteral("The run's folder is gone from %1; its ranks may live on there").arg(name)
                  : QStringLiteral("%1 never started its ranks: the launch was cut off").arg(name);
        qCWarning(logRun).noquote() << m_state.id << title;
        emit said(title);
        if (!m_imposed && !m_state.cause)
            m_imposed = FirstCause{-1, name, title, end.error.text, {}, {}};
        for (RankState& rank : m_state.ranks)
            if (rank.nodeIndex == nodeIndex && rank.endedWallUs == 0)
                rank.phase = RankPhase::Lost;
        m_state.nodes[nodeIndex].linkReason = title;
        if (lost)
            stopNode(nodeIndex, kOthersGraceS); // finds them by their tag, and proves it
        break;
    }
    case FollowEnd::How::StoreFailed:
        m_state.nodes[nodeIndex].linkReason = end.error.text;
        emit said(end.error.text);
        break;
    }
    settled();
}

} // namespace lockstep
