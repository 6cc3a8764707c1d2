// SPDX-License-Identifier: GPL-3.0-or-later
// Wall time as the stream says it: microseconds since 1970. For what people read and for comparing clocks, never for
// durations.
#pragma once

#include <QtGlobal>

#include <chrono>

namespace lockstep {

[[nodiscard]] inline qint64 wallClockUs()
{
    using namespace std::chrono;
    return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
}

} // namespace lockstep
