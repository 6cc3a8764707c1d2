// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/clockcheck.h"

#include "remote/wallclock.h"

namespace lockstep {

namespace {

using namespace std::chrono_literals;

constexpr auto kClockTime = 20s; // a login shell that takes 5 s, then eight round trips

} // namespace

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

Result<ClockOffset> measureClock(const NodeLink& link, std::stop_token stop)
{
    if (link.transport->node().local) {
        ClockOffset own;
        own.addAnswer(0, 0, 0);
        return own;
    }
    const Deadline deadline = Deadline::in(kClockTime);
    auto call = AgentCall::start(*link.transport, link.agent.path, {"clock"}, deadline, stop);
    if (!call)
        return std::unexpected(call.error());
    return askClock(*call, deadline, stop);
}

} // namespace lockstep
