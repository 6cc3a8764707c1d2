// SPDX-License-Identifier: GPL-3.0-or-later
// What our clock said when a record of a spool was written. What was measured while the node was followed ties its
// monotonic clock to our wall clock, for the records of the same boot of the node: they may be fetched after the next
// one. Where nothing was measured, hello ties it to the node's wall clock, and the offset measured at the launch makes
// that ours. So a wall clock that jumps moves nothing.
#pragma once

#include "core/spoolclock.h"
#include "core/wire/record.h"

#include <optional>

namespace lockstep {

class SpoolTime {
public:
    void setOffsetUs(qint64 offsetUs) { m_offsetUs = offsetUs; } // node's wall clock minus ours, at the launch
    // The spool is read from this byte on, with what was measured along it.
    void begin(qint64 fromByte, QList<SpoolClock> clocks);
    void measured(const SpoolClock& clock); // at the byte that was taken so far
    // Takes off `bytes` what lies before the next measurement.
    [[nodiscard]] std::string_view takePiece(std::string_view& bytes);

    void hello(const wire::RecordView& record);
    void clock(const wire::RecordView& record);

    [[nodiscard]] bool isTied() const { return m_tied || m_clock; }
    [[nodiscard]] qint64 wallUs(std::int64_t timeUs) const;

private:
    void tie(const wire::RecordView& record);
    void take(const SpoolClock& clock);
    void takeDue(); // what was measured up to m_position
    void choose();

    qint64 m_offsetUs = 0;
    bool m_tied = false;
    qint64 m_tieUs = 0;                // node's wall clock minus its monotonic clock
    QString m_bootId;                  // as the last hello said; empty: unknown, and whatever was measured last is used
    std::optional<SpoolClock> m_clock; // of this boot
    QList<SpoolClock> m_known;         // the last one of each boot
    QList<SpoolClock> m_coming;        // measured along what was not taken yet
    qint64 m_position = 0;             // in the spool
};

} // namespace lockstep
