// SPDX-License-Identifier: GPL-3.0-or-later
// Our copy of one node's spool, and what was decoded of it so far. Worker thread; the file and the decoder are worked
// on in the store thread, one piece at a time, so that a slow disk stops the reading instead of filling memory.
#pragma once

#include "core/storethread.h"
#include "remote/liveclock.h"

#include <functional>
#include <optional>

namespace lockstep {

class SpoolCopy {
public:
    struct Origin {
        QString run;
        QString node;
        int nodeIndex = 0;
        qint64 startWallUs = 0;   // zero of the run's seconds
        qint64 clockOffsetUs = 0; // node minus us
        qint64 from = 0;          // decoded before: an attempt begins there
    };

    SpoolCopy(StoreThread& store, const Origin& origin);
    ~SpoolCopy();

    [[nodiscard]] const Origin& origin() const { return m_origin; }
    void setClockOffsetUs(qint64 offsetUs);                  // while nobody follows: of another attempt
    [[nodiscard]] qint64 offset() const { return m_offset; } // decoded so far: where to go on
    // The node's clock, measured now: from here on it makes the node's times ours, and is kept for whoever reads the
    // run again. False: nothing new.
    [[nodiscard]] Result<bool> measured(const ClockReading& reading);
    // Decodes what the file holds behind offset(), in pieces: a run that is taken up again, or bytes that another
    // desktop program on the same data folder has fetched.
    [[nodiscard]] Result<void> catchUp(const std::function<void(RunUpdate)>& decoded, std::stop_token stop);
    // Bytes that follow offset(). An Error when the file does not end there: catchUp(), then ask again from offset().
    [[nodiscard]] Result<RunUpdate> append(const QByteArray& bytes);

private:
    StoreThread& m_store;
    Origin m_origin;
    std::shared_ptr<RunDecoder> m_decoder; // used in the store thread only
    qint64 m_offset = 0;
    std::optional<SpoolClock> m_clock; // the last one that was news
};

} // namespace lockstep
