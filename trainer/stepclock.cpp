// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/stepclock.h"

#include "trainer/cuda/cudaapi.h"

namespace lockstep::trainer {

void StepClock::mark(Mark mark)
{
    if (m_cuda != nullptr)
        m_cuda->mark(static_cast<int>(mark));
    else
        m_times.at(static_cast<std::size_t>(mark)) = std::chrono::steady_clock::now();
}

StepParts StepClock::parts() const
{
    StepParts parts;
    parts.data = between(Mark::Start, Mark::DataReady);
    parts.forward = between(Mark::DataReady, Mark::ForwardDone);
    parts.backward = between(Mark::ForwardDone, Mark::LastGradient);
    parts.wait = between(Mark::LastGradient, Mark::GradientsReduced);
    parts.optimizer = between(Mark::GradientsReduced, Mark::Done);
    return parts;
}

double StepClock::between(Mark from, Mark to) const
{
    if (m_cuda != nullptr)
        return m_cuda->elapsedMs(static_cast<int>(from), static_cast<int>(to));
    const auto time = m_times.at(static_cast<std::size_t>(to)) - m_times.at(static_cast<std::size_t>(from));
    return std::chrono::duration<double, std::milli>(time).count();
}

} // namespace lockstep::trainer
