// SPDX-License-Identifier: GPL-3.0-or-later
// Where a step's time goes. On a CPU the marks are points of the monotonic clock; on a GPU they are events on its
// stream, so that the parts are the device's times and nothing is stalled to take them.
#pragma once

#include "trainer/device.h"
#include "trainer/stepmetrics.h"

#include <array>
#include <chrono>

namespace lockstep::trainer {

class StepClock {
public:
    enum class Mark { Start, DataReady, ForwardDone, LastGradient, GradientsReduced, Done };

    explicit StepClock(const Device& device) : m_cuda(device.cuda) {}

    void mark(Mark mark); // a later mark of the same kind replaces the earlier
    [[nodiscard]] StepParts parts() const;

private:
    static constexpr std::size_t kMarks = 6;

    [[nodiscard]] double between(Mark from, Mark to) const; // milliseconds

    const CudaApi* m_cuda;
    std::array<std::chrono::steady_clock::time_point, kMarks> m_times{};
};

} // namespace lockstep::trainer
