// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/liveclock.h"

#include "remote/clockcheck.h"

#include <algorithm>

namespace lockstep {

namespace {

constexpr std::chrono::seconds kAnswerTime{5}; // a line that is this slow says nothing about a clock
constexpr std::chrono::seconds kAskAgain{5};   // after it: a link that healed, a node that was busy

} // namespace

void LiveClock::beginRound(Clock::time_point when)
{
    m_next = when;
    m_asked.reset();
    m_answers = 0;
    m_best.reset();
}

void LiveClock::restart(Clock::time_point now)
{
    beginRound(now);
}

bool LiveClock::isDue(Clock::time_point now)
{
    if (m_asked && now - m_asked->at > kAnswerTime)
        beginRound(now + std::min<Clock::duration>(m_every, kAskAgain));
    return !m_asked && now >= m_next;
}

qint64 LiveClock::asked(Clock::time_point now, qint64 ourWallUs)
{
    m_asked = Question{++m_lastNumber, now, ourWallUs};
    return m_lastNumber;
}

std::optional<ClockReading> LiveClock::answered(const ClockAnswer& answer, Clock::time_point now)
{
    if (!m_asked || m_asked->number != answer.of)
        return {}; // of a question that was given up
    // By the steady clock: ours may be set meanwhile.
    const qint64 errorUs = std::chrono::duration_cast<std::chrono::microseconds>(now - m_asked->at).count() / 2;
    if (isTimeOfDay(answer.wallUs) && (!m_best || errorUs < m_best->errorUs))
        m_best = ClockReading{answer.monotonicUs, answer.wallUs, m_asked->ourWallUs + errorUs, errorUs, answer.bootId};
    m_asked.reset();
    if (++m_answers < kClockQuestions)
        return {};
    const auto best = m_best;
    beginRound(now + m_every);
    return best;
}

} // namespace lockstep
