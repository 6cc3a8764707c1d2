// SPDX-License-Identifier: GPL-3.0-or-later
// The node's two clocks in microseconds.
#pragma once

#include <cstdint>
#include <ctime>

namespace lockstep::agent {

[[nodiscard]] inline std::int64_t readClockUs(clockid_t clock)
{
    timespec time{};
    ::clock_gettime(clock, &time);
    return static_cast<std::int64_t>(time.tv_sec) * 1'000'000 + time.tv_nsec / 1000;
}
[[nodiscard]] inline std::int64_t monotonicUs()
{
    return readClockUs(CLOCK_MONOTONIC);
}
[[nodiscard]] inline std::int64_t wallUs()
{
    return readClockUs(CLOCK_REALTIME);
}

} // namespace lockstep::agent
