// SPDX-License-Identifier: GPL-3.0-or-later
// A node's wall clock against ours: the answer with the least round trip, and half of that as its error. A pure value.
#pragma once

#include <QtGlobal>

#include <optional>

namespace lockstep {

// Whether a node's bytes may be a time of day in microseconds: those up to the year 2255 are what a double counts
// exactly, and differences of them, and of those, are what an integer holds.
[[nodiscard]] constexpr bool isTimeOfDay(qint64 wallUs)
{
    return wallUs >= 0 && wallUs <= qint64{1} << 53;
}

class ClockOffset {
public:
    // The node read its clock after we sent the question and before we had the answer.
    void addAnswer(qint64 sentUs, qint64 nodeUs, qint64 receivedUs)
    {
        const qint64 roundTripUs = receivedUs - sentUs;
        if (roundTripUs < 0 || (m_roundTripUs >= 0 && roundTripUs >= m_roundTripUs))
            return; // our own clock was set back meanwhile, or a better one is known
        if (!isTimeOfDay(nodeUs))
            return; // as if it had not answered
        m_roundTripUs = roundTripUs;
        m_offsetUs = nodeUs - (sentUs + roundTripUs / 2);
    }

    // As it was measured elsewhere.
    [[nodiscard]] static ClockOffset of(double offsetMs, double errorMs)
    {
        ClockOffset clock;
        clock.m_offsetUs = static_cast<qint64>(offsetMs * 1000);
        clock.m_roundTripUs = static_cast<qint64>(errorMs * 2000);
        return clock;
    }

    [[nodiscard]] std::optional<qint64> offsetUs() const // node minus us
    {
        return m_roundTripUs < 0 ? std::nullopt : std::optional(m_offsetUs);
    }
    [[nodiscard]] qint64 roundTripUs() const { return m_roundTripUs; } // -1: no answer yet
    [[nodiscard]] double errorMs() const // the offset is off by this at most; -1: no answer yet
    {
        return m_roundTripUs < 0 ? -1 : static_cast<double>(m_roundTripUs) / 2000.0;
    }

    bool operator==(const ClockOffset&) const = default;

private:
    qint64 m_offsetUs = 0, m_roundTripUs = -1;
};

} // namespace lockstep
