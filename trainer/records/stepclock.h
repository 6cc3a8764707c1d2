// SPDX-License-Identifier: GPL-3.0-or-later
// Where a step's time goes. On a CPU the marks are points of the monotonic clock; on a GPU they are events on its
// stream, so that the parts are the device's times and nothing is stalled to take them.
#pragma once

#include "trainer/device.h"
#include "trainer/records/stepmetrics.h"

#include <chrono>

namespace lockstep::trainer {

class StepClock {
public:
    // In the order of a step. Each mark ends the part that began with the one before it; a step of several forwards
    // passes Start ... BackwardDone several times, and LastGradient comes once for every parameter, so parts are sums.
    enum class Mark { Start, DataReady, OnDevice, ForwardDone, LastGradient, BackwardDone, Done };

    explicit StepClock(const Device& device) : m_cuda(device.cuda) {}

    void mark(Mark mark);
    [[nodiscard]] StepParts take(); // since the last take()

private:
    const CudaApi* m_cuda;
    std::chrono::steady_clock::time_point m_last;
    StepParts m_parts;
};

} // namespace lockstep::trainer
