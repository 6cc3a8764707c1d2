// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/spooltime.h"

#include <algorithm>

namespace lockstep {

void SpoolTime::begin(qint64 fromByte, QList<SpoolClock> clocks)
{
    m_position = fromByte;
    m_coming = std::move(clocks);
}

void SpoolTime::measured(const SpoolClock& clock)
{
    while (!m_coming.isEmpty() && m_coming.first().fromByte <= m_position)
        m_coming.removeFirst();
    m_clock = clock;
}

std::string_view SpoolTime::takePiece(std::string_view& bytes)
{
    while (!m_coming.isEmpty() && m_coming.first().fromByte <= m_position)
        m_clock = m_coming.takeFirst();
    std::size_t size = bytes.size();
    if (!m_coming.isEmpty())
        size = std::min(size, static_cast<std::size_t>(m_coming.first().fromByte - m_position));
    const std::string_view piece = bytes.substr(0, size);
    bytes.remove_prefix(size);
    m_position += static_cast<qint64>(size);
    return piece;
}

void SpoolTime::hello(const wire::RecordView& record)
{
    tie(record);
    const QString boot = QString::fromStdString(record.text("boot_id"));
    if (!m_bootId.isEmpty() && boot != m_bootId)
        m_clock.reset(); // a monotonic clock begins anew with its machine
    m_bootId = boot;
}

void SpoolTime::clock(const wire::RecordView& record)
{
    if (!m_tied)
        tie(record);
}

void SpoolTime::tie(const wire::RecordView& record)
{
    if (const auto wall = record.integer("wall_us")) {
        m_tieUs = static_cast<qint64>(static_cast<quint64>(*wall) - static_cast<quint64>(record.timeUs));
        m_tied = true;
    }
}

qint64 SpoolTime::wallUs(std::int64_t timeUs) const
{
    if (m_clock)
        return m_clock->wallOf(timeUs);
    // Bytes from outside: sums that wrap must not be undefined.
    return static_cast<qint64>(static_cast<quint64>(timeUs) + static_cast<quint64>(m_tieUs) -
                               static_cast<quint64>(m_offsetUs));
}

} // namespace lockstep
