// SPDX-License-Identifier: GPL-3.0-or-later
// A node's monotonic clock against our wall clock, as it was measured while the node was followed, and from which byte
// of its spool on that holds: a live run and a replay correct the same records by the same measurement. Kept beside the
// spool, in runs/ID/NODE.clocks, a record a measurement:
//
//   measured - 81230114 from=40311 wall_us=1795968000123456 error_us=140 boot_id=b55a677d-97a2-4c1f-8c52-1fd5a2d4f0c3
#pragma once

#include <QList>
#include <QString>

#include <string>
#include <string_view>

namespace lockstep {

struct SpoolClock {
    qint64 fromByte = 0;    // of the spool
    qint64 monotonicUs = 0; // the node's
    qint64 wallUs = 0;      // ours at that moment
    qint64 errorUs = 0;     // which is off by this at most
    QString bootId;         // of the node: its monotonic clock begins anew with it; empty: unknown

    bool operator==(const SpoolClock&) const = default;

    // Ours when the node's monotonic clock says timeUs. Both are from outside: sums wrap.
    [[nodiscard]] qint64 wallOf(qint64 timeUs) const
    {
        return static_cast<qint64>(static_cast<quint64>(timeUs) - static_cast<quint64>(monotonicUs) +
                                   static_cast<quint64>(wallUs));
    }
    // Whether it says anything that `before` does not: clocks drift by less than a millisecond in half a minute.
    [[nodiscard]] bool isNewsAfter(const SpoolClock* before) const;
};

[[nodiscard]] std::string lineOf(const SpoolClock& clock);
[[nodiscard]] QList<SpoolClock> spoolClocks(std::string_view text); // in the order of the spool; broken lines are none

} // namespace lockstep
