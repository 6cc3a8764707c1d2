// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/liveclock.h"

#include "remote/clockcheck.h"

namespace lockstep {

namespace {

constexpr std::chrono::seconds kAnswerTime{5}; // a line that is this slow says nothing about a clock

} // namespace

void LiveClock::beginRound(Clock::time_point when)
{
    m_next = when;
    m_askedWallUs = 0;
    m_answers = 0;
    m_best.reset();
}

void LiveClock::restart()
{
    beginRound(Clock::now());
}

bool LiveClock::isDue()
{
    if (m_askedWallUs != 0 && Clock::now() - m_askedAt > kAnswerTime)
        beginRound(m_askedAt + m_every);
    return m_askedWallUs == 0 && Clock::now() >= m_next;
}

void LiveClock::asked(qint64 ourWallUs)
{
    m_askedAt = Clock::now();
    m_askedWallUs = ourWallUs;
}

std::optional<ClockReading> LiveClock::answered(qint64 monotonicUs, qint64 wallUs, qint64 ourWallUs)
{
    if (m_askedWallUs == 0)
        return {}; // of a question that was given up
    const qint64 errorUs = (ourWallUs - m_askedWallUs) / 2;
    if (errorUs >= 0 && (!m_best || errorUs < m_best->errorUs)) // else our own clock was set back meanwhile
        m_best = ClockReading{monotonicUs, wallUs, m_askedWallUs + errorUs, errorUs};
    m_askedWallUs = 0;
    if (++m_answers < kClockQuestions)
        return {};
    const auto best = m_best;
    beginRound(Clock::now() + m_every);
    return best;
}

} // namespace lockstep
