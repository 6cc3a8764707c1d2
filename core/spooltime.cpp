// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/spooltime.h"

#include <algorithm>
#include <utility>

namespace lockstep {

void SpoolTime::begin(qint64 fromByte, QList<SpoolClock> clocks)
{
    m_position = fromByte;
    m_coming = std::move(clocks);
}

void SpoolTime::measured(const SpoolClock& clock)
{
    takeDue();
    take(clock);
}

void SpoolTime::takeDue()
{
    while (!m_coming.isEmpty() && m_coming.first().fromByte <= m_position)
        take(m_coming.takeFirst());
}

void SpoolTime::take(const SpoolClock& clock)
{
    m_known.removeIf([&clock](const SpoolClock& known) { return known.bootId == clock.bootId; });
    m_known.append(clock);
    choose();
}

void SpoolTime::choose()
{
    m_clock.reset();
    for (const SpoolClock& known : std::as_const(m_known))
        if (m_bootId.isEmpty() || known.bootId == m_bootId)
            m_clock = known;
}

std::string_view SpoolTime::takePiece(std::string_view& bytes)
{
    takeDue();
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
    m_bootId = QString::fromStdString(record.text("boot_id"));
    choose();
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
