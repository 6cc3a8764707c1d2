// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/clockcheck.h"

#include "remote/wallclock.h"

namespace lockstep {

Result<ClockOffset> askClock(AgentCall& call, Deadline deadline, std::stop_token stop)
{
    ClockOffset clock;
    for (int i = 0; i < kClockQuestions; ++i) {
        const qint64 sentUs = wallClockUs();
        if (auto sent = call.send("\n", deadline, stop); !sent)
            return std::unexpected(sent.error());
        auto answer = call.expect("clock", deadline, stop);
        if (!answer)
            return std::unexpected(answer.error());
        if (const auto there = answer->integer("wall_us"))
            clock.addAnswer(sentUs, *there, wallClockUs());
    }
    return clock;
}

} // namespace lockstep
