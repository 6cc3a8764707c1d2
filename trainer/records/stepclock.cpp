// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/records/stepclock.h"

#include <utility>

namespace lockstep::trainer {

void StepClock::mark(Mark mark)
{
    const auto now = std::chrono::steady_clock::now();
    const double passed = std::chrono::duration<double, std::milli>(now - std::exchange(m_last, now)).count();
    switch (mark) {
    case Mark::Start:
        break;
    case Mark::DataReady:
        m_parts.data += passed;
        break;
    case Mark::OnDevice:
        m_parts.toDevice += passed;
        break;
    case Mark::ForwardDone:
        m_parts.forward += passed;
        break;
    case Mark::LastGradient:
        m_parts.backward += passed;
        break;
    case Mark::BackwardDone:
        m_parts.wait += passed;
        break;
    case Mark::Done:
        m_parts.optimizer += passed;
        break;
    }
}

StepParts StepClock::take()
{
    return std::exchange(m_parts, {});
}

} // namespace lockstep::trainer
