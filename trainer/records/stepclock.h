// SPDX-License-Identifier: GPL-3.0-or-later
// Where a step's time goes. On a CPU the marks are points of the monotonic clock; on a GPU they are events on its
// stream, so that the parts are the device's times and nothing is stalled to take them.
#pragma once

#include "trainer/device.h"
#include "trainer/records/stepmetrics.h"

#include <c10/core/Event.h>

#include <chrono>
#include <vector>

namespace lockstep::trainer {

// Marks come from the thread that trains and, LastGradient, from autograd's while that one waits for it.
class StepClock {
public:
    // In the order of a step. Each mark ends the part that began with the one before it; a step of several forwards
    // passes Start ... BackwardDone several times, and LastGradient comes once for every parameter, so parts are sums.
    enum class Mark { Start, DataReady, OnDevice, ForwardDone, LastGradient, BackwardDone, Done };

    explicit StepClock(const Device& device) : m_device(device.tensors) {}

    void mark(Mark mark);
    void hold() { m_held = true; } // marks count for nothing until release(): a graph's capture runs nothing
    void release() { m_held = false; }

    // Ends a step: what was marked is now the finished one's, and finished() gives its parts. On a GPU that waits for
    // the step's end; asked a step later, it has come.
    void turn();
    [[nodiscard]] StepParts finished() const;

private:
    using Clock = std::chrono::steady_clock;
    struct Lap {
        std::vector<Mark> marks;
        std::vector<c10::Event> events; // one a mark, kept for the laps to come
        StepParts parts;                // on a CPU
    };

    void markEvent(Mark mark);

    at::Device m_device;
    bool m_held = false;
    Clock::time_point m_last;
    Mark m_before = Mark::Start;
    Lap m_lap;
    Lap m_finished;
};

} // namespace lockstep::trainer
