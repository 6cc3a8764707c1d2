// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/budget.h"

#include <algorithm>

namespace lockstep::agent {

Budget::Budget(Rate rate, std::int64_t nowUs)
    : m_rate(rate), m_lines(rate.linesPerSecond * rate.burstSeconds), m_bytes(rate.bytesPerSecond * rate.burstSeconds),
      m_filledUs(nowUs)
{
}

bool Budget::take(std::size_t bytes, std::int64_t nowUs)
{
    const double seconds = static_cast<double>(std::max<std::int64_t>(nowUs - m_filledUs, 0)) * 1e-6;
    m_filledUs = nowUs;
    m_lines = std::min(m_lines + seconds * m_rate.linesPerSecond, m_rate.linesPerSecond * m_rate.burstSeconds);
    m_bytes = std::min(m_bytes + seconds * m_rate.bytesPerSecond, m_rate.bytesPerSecond * m_rate.burstSeconds);
    const auto size = static_cast<double>(bytes);
    if (m_lines < 1 || m_bytes < size)
        return false;
    m_lines -= 1;
    m_bytes -= size;
    return true;
}

} // namespace lockstep::agent
