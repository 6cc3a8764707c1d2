// SPDX-License-Identifier: GPL-3.0-or-later
// The clocks of a node that is followed, asked for on the stream that is open anyway: eight questions, one after the
// other's answer, and again after a while; of each round the least round trip counts. A question has a number, which
// its answer tells: one that comes late is none to the next question. Asks nothing by itself. Worker thread.
#pragma once

#include <QString>

#include <chrono>
#include <optional>

namespace lockstep {

struct ClockReading { // both clocks of a node at one moment, against ours
    qint64 monotonicUs = 0;
    qint64 wallUs = 0;
    qint64 ourWallUs = 0;
    qint64 errorUs = 0; // ourWallUs is off by this at most
    QString bootId;     // of which the monotonic clock is; empty: unknown

    [[nodiscard]] qint64 offsetUs() const { return wallUs - ourWallUs; } // node minus us

    bool operator==(const ClockReading&) const = default;
};

struct ClockAnswer { // of a node
    qint64 of = 0;   // the question
    qint64 monotonicUs = 0;
    qint64 wallUs = 0;
    QString bootId;
};

inline constexpr std::chrono::seconds kClockEvery{30}; // clocks drift by less than a millisecond meanwhile

class LiveClock {
public:
    using Clock = std::chrono::steady_clock;

    explicit LiveClock(std::chrono::milliseconds every) : m_every(every) {}

    void restart(Clock::time_point now);                                 // on a stream that has just opened
    [[nodiscard]] bool isDue(Clock::time_point now);                     // send a line now, and say when:
    [[nodiscard]] qint64 asked(Clock::time_point now, qint64 ourWallUs); // the number to send
    // A reading at the end of a round.
    [[nodiscard]] std::optional<ClockReading> answered(const ClockAnswer& answer, Clock::time_point now);

private:
    struct Question {
        qint64 number = 0;
        Clock::time_point at;
        qint64 ourWallUs = 0;
    };
    void beginRound(Clock::time_point when);

    std::chrono::milliseconds m_every;
    Clock::time_point m_next;
    qint64 m_lastNumber = 0;
    std::optional<Question> m_asked; // and its answer is awaited
    int m_answers = 0;
    std::optional<ClockReading> m_best;
};

} // namespace lockstep
