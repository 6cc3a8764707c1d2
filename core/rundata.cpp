// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rundata.h"

#include "core/runpace.h"

#include <algorithm>
#include <cmath>

namespace lockstep {
namespace {

constexpr qsizetype kLastLines = 20; // of the rank that failed first

} // namespace

RunData::RunData(QObject* parent) : QObject(parent) {}

void RunData::setPlan(const RunSpec& spec, const LaunchPlan& plan)
{
    m_spec = spec;
    m_plan = plan;
    const RunState fresh = stateOf(plan);
    if (m_state.ranks.size() != fresh.ranks.size() || m_state.nodes.size() != fresh.nodes.size()) {
        m_state.ranks = fresh.ranks;
        m_state.nodes = fresh.nodes;
    }
    ++m_generation;
    emit stateChanged();
    emit changed();
}

void RunData::setState(const RunState& state)
{
    RunState next = state;
    if (next.attempt < m_state.attempt)
        next.attempt = m_state.attempt;
    RunState judged = state;
    const std::optional<FirstCause> shown = judge(judged);
    if (state.cause && (!shown || shown->title != state.cause->title))
        m_told = state.cause;
    else if (!state.cause)
        m_told.reset(); // it was ended since
    // The ranks' phases, the proof and the cause come from the spools, which know better than whoever watched.
    if (m_fromStream && next.ranks.size() == m_state.ranks.size() && next.nodes.size() == m_state.nodes.size() &&
        next.attempt == m_state.attempt) {
        next.ranks = m_state.ranks;
        for (qsizetype i = 0; i < next.ranks.size(); ++i) { // of a node that fell silent the spool says nothing
            if (state.ranks[i].phase == RankPhase::Lost && next.ranks[i].endedWallUs == 0)
                next.ranks[i].phase = RankPhase::Lost;
        }
        for (qsizetype i = 0; i < next.nodes.size(); ++i) {
            next.nodes[i].spoolBytes = std::max(next.nodes[i].spoolBytes, m_state.nodes[i].spoolBytes);
            next.nodes[i].stoppingWallUs = std::max(next.nodes[i].stoppingWallUs, m_state.nodes[i].stoppingWallUs);
            if (m_state.nodes[i].ended) {
                next.nodes[i].ended = true;
                next.nodes[i].gone = m_state.nodes[i].gone;
                next.nodes[i].left = m_state.nodes[i].left;
            }
        }
        if (next.startedWallUs == 0)
            next.startedWallUs = m_state.startedWallUs;
        settle(next);
    } else if (next.ranks.isEmpty()) {
        next.ranks = m_state.ranks;
    }
    if (next.nodes.isEmpty())
        next.nodes = m_state.nodes;
    std::swap(m_state, next);
    takeTold();
    takeLastLines();
    if (m_state == next)
        return;
    ++m_generation;
    emit stateChanged();
    emit changed();
}

void RunData::apply(const RunUpdate& update)
{
    if (update.nodeIndex < 0 || update.nodeIndex >= m_state.nodes.size())
        return;
    m_fromStream = true;
    const RunState before = update.phases.empty() && update.attempt <= m_state.attempt ? RunState() : m_state;
    const bool watching = !update.phases.empty() || update.attempt > m_state.attempt;
    if (update.attempt > m_state.attempt)
        m_told.reset();
    beginAttempt(m_state, update.attempt);
    m_state.nodes[update.nodeIndex].spoolBytes = update.spoolBytes;
    m_newestWallUs = std::max(m_newestWallUs, update.newestWallUs);
    m_malformed += update.malformed;
    m_dropped += update.dropped;
    addPoints(update);
    addLines(update);
    for (const auto& [rank, facts] : update.info)
        m_info[rank].insert(facts);
    for (const PhaseChange& change : update.phases) {
        if (change.attempt == m_state.attempt)
            applyPhase(m_state, change);
    }
    takeTold();
    takeLastLines();
    ++m_generation;
    if (watching && before != m_state)
        emit stateChanged();
    emit changed();
}

void RunData::addPoints(const RunUpdate& update)
{
    for (const auto& [key, points] : update.points) {
        auto& found = m_found[key];
        if (found == nullptr)
            found = &m_series[key];
        auto& [bySteps, bySeconds] = *found;
        for (const Point& point : points) {
            if (!std::isnan(point.step))
                bySteps.append(point.step, point.value);
            bySeconds.append(point.seconds, point.value);
        }
    }
    for (const auto& [rank, step] : update.steps) {
        if (rank < m_state.ranks.size() && m_state.ranks[rank].nodeIndex == update.nodeIndex &&
            update.attempt == m_state.attempt)
            m_state.ranks[rank].step = step;
    }
}

void RunData::addLines(const RunUpdate& update)
{
    m_log.insert(m_log.end(), update.lines.begin(), update.lines.end());
    // Dropped in blocks: the front of a vector is dear.
    if (m_log.size() > kMostLogLines + kMostLogLines / 8) {
        const std::size_t extra = m_log.size() - kMostLogLines;
        m_log.erase(m_log.begin(), m_log.begin() + static_cast<std::ptrdiff_t>(extra));
        m_logDropped += extra;
    }
}

void RunData::takeTold()
{
    if (!m_told)
        return;
    FirstCause cause = *m_told;
    if (cause.victims.isEmpty() && m_state.cause)
        cause.victims = m_state.cause->victims;
    m_state.cause = cause;
}

void RunData::takeLastLines()
{
    if (!m_state.cause || m_state.cause->rank < 0)
        return;
    QStringList lines;
    for (auto it = m_log.rbegin(); it != m_log.rend() && lines.size() < kLastLines; ++it) {
        if (it->rank == m_state.cause->rank && it->kind != LogLine::Kind::Event)
            lines.prepend(it->text);
    }
    if (!lines.isEmpty())
        m_state.cause->lastLines = lines;
}

const Series* RunData::series(const SeriesKey& key, XAxis x) const
{
    const auto it = m_series.find(key);
    if (it == m_series.end())
        return nullptr;
    switch (x) {
    case XAxis::Step:
    case XAxis::Epoch:
    case XAxis::Samples:
        return &it->second.first;
    case XAxis::Time:
    case XAxis::Wall:
        return &it->second.second;
    }
    return nullptr;
}

QStringList RunData::metrics() const
{
    QStringList names;
    for (const auto& [key, both] : m_series) { // sorted by metric
        if (names.isEmpty() || names.last() != key.metric)
            names.append(key.metric);
    }
    return names;
}

const QMap<QString, QString>& RunData::info(int rank) const
{
    static const QMap<QString, QString> kNone;
    const auto it = m_info.constFind(rank);
    return it == m_info.constEnd() ? kNone : *it;
}

qint64 RunData::infoNumber(const QString& key) const
{
    qint64 number = 0;
    for (const QMap<QString, QString>& facts : m_info)
        number = std::max(number, facts.value(key).toLongLong());
    return number;
}

qint64 RunData::totalSteps() const
{
    return infoNumber(QStringLiteral("total_steps"));
}

qint64 RunData::stepsPerEpoch() const
{
    return infoNumber(QStringLiteral("steps_per_epoch"));
}

qint64 RunData::step() const
{
    qint64 least = -1;
    for (const RankState& rank : m_state.ranks) {
        if (rank.step >= 0)
            least = least < 0 ? rank.step : std::min(least, rank.step);
    }
    return least;
}

double RunData::samplesPerSecond() const
{
    return samplesPerSecondOf(*this);
}

double RunData::waitFraction() const
{
    return waitFractionOf(*this);
}

double RunData::meanLoss() const
{
    return meanLossOf(*this);
}

double RunData::etaSeconds() const
{
    return etaSecondsOf(*this);
}

qint64 RunData::newestRecordWallUs() const
{
    return m_newestWallUs;
}

} // namespace lockstep
