// SPDX-License-Identifier: GPL-3.0-or-later
// A node's wall clock against ours, as the interval that every message seen so far allows. A pure value.
#pragma once

#include <QtGlobal>

#include <algorithm>
#include <limits>
#include <optional>

namespace lockstep {

class ClockOffset {
public:
    // The node read its clock after we sent the question and before we had the answer.
    void addAnswer(qint64 sentUs, qint64 nodeUs, qint64 receivedUs)
    {
        addHeard(nodeUs, receivedUs);
        m_high = std::min(m_high, nodeUs - sentUs);
        settle(nodeUs - (sentUs + receivedUs) / 2);
    }
    // The node read its clock before we heard of it.
    void addHeard(qint64 nodeUs, qint64 receivedUs)
    {
        m_low = std::max(m_low, nodeUs - receivedUs);
        settle(m_low);
    }

    [[nodiscard]] std::optional<qint64> offsetUs() const // node minus us
    {
        if (m_low == kNone)
            return std::nullopt;
        return m_high == kAll ? m_low : m_low + (m_high - m_low) / 2;
    }
    [[nodiscard]] double errorMs() const // half the interval; < 0: open to one side
    {
        return m_low == kNone || m_high == kAll ? -1 : static_cast<double>(m_high - m_low) / 2000.0;
    }

private:
    static constexpr qint64 kNone = std::numeric_limits<qint64>::min(), kAll = std::numeric_limits<qint64>::max();

    // A clock that was set, or drifts, empties the interval: what was said last holds.
    void settle(qint64 lastUs)
    {
        if (m_low != kNone && m_high != kAll && m_low > m_high)
            m_low = m_high = lastUs;
    }

    qint64 m_low = kNone, m_high = kAll;
};

} // namespace lockstep
