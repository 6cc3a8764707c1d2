// SPDX-License-Identifier: GPL-3.0-or-later
// How much of a rank's output may enter the spool: a bucket of lines and one of bytes, and the count of what did not
// fit.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep::agent {

struct Rate {
    double linesPerSecond = 0;
    double bytesPerSecond = 0;
    double burstSeconds = 0; // what may come at once after a quiet time

    bool operator==(const Rate&) const = default;
};

// A person reads no more; a flood of one rank must not fill the link for the others.
inline constexpr Rate kOutputRate{200, 256 * 1024, 5};
inline constexpr Rate kMetricRate{2000, 2 * 1024 * 1024, 5};

class Budget {
public:
    Budget(Rate rate, std::int64_t nowUs);

    [[nodiscard]] bool take(std::size_t bytes, std::int64_t nowUs); // one line

private:
    Rate m_rate;
    double m_lines;
    double m_bytes;
    std::int64_t m_filledUs;
};

struct DroppedCount {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;

    void add(std::size_t size)
    {
        ++count;
        bytes += size;
    }
    bool operator==(const DroppedCount&) const = default;
};

} // namespace lockstep::agent
