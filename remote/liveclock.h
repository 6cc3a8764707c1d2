// SPDX-License-Identifier: GPL-3.0-or-later
// The clocks of a node that is followed, asked for on the stream that is open anyway: eight questions, one after the
// other's answer, and again after a while; of each round the least round trip counts. Asks nothing by itself. Worker
// thread.
#pragma once

#include <QtGlobal>

#include <chrono>
#include <optional>

namespace lockstep {

struct ClockReading { // both clocks of a node at one moment, against ours
    qint64 monotonicUs = 0;
    qint64 wallUs = 0;
    qint64 ourWallUs = 0;
    qint64 errorUs = 0; // ourWallUs is off by this at most

    [[nodiscard]] qint64 offsetUs() const { return wallUs - ourWallUs; } // node minus us

    bool operator==(const ClockReading&) const = default;
};

inline constexpr std::chrono::seconds kClockEvery{30}; // clocks drift by less than a millisecond meanwhile

class LiveClock {
public:
    explicit LiveClock(std::chrono::milliseconds every) : m_every(every) {}

    void restart();             // on a stream that has just opened
    [[nodiscard]] bool isDue(); // send a line now, and say when:
    void asked(qint64 ourWallUs);
    // A reading at the end of a round.
    [[nodiscard]] std::optional<ClockReading> answered(qint64 monotonicUs, qint64 wallUs, qint64 ourWallUs);

private:
    using Clock = std::chrono::steady_clock;
    void beginRound(Clock::time_point when);

    std::chrono::milliseconds m_every;
    Clock::time_point m_next, m_askedAt;
    qint64 m_askedWallUs = 0; // 0: no answer is awaited
    int m_answers = 0;
    std::optional<ClockReading> m_best;
};

} // namespace lockstep
