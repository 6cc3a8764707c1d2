// SPDX-License-Identifier: GPL-3.0-or-later
// How far a node's clock is from ours: eight questions on one channel, the least round trip counts. Any worker thread.
#pragma once

#include "core/clockoffset.h"
#include "remote/agentcall.h"

namespace lockstep {

inline constexpr int kClockQuestions = 8;

// On a call of `probe`, after its facts.
[[nodiscard]] Result<ClockOffset> askClock(AgentCall& call, Deadline deadline, std::stop_token stop);

} // namespace lockstep
