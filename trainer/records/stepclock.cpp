// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/records/stepclock.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <utility>

namespace lockstep::trainer {

namespace {

using Mark = StepClock::Mark;

// The time from one mark to the next belongs to the part that the second ends.
void addTo(StepParts& parts, Mark before, Mark mark, double passed)
{
    switch (mark) {
    case Mark::Start: // between two forwards, or two steps: nobody's
        break;
    case Mark::DataReady:
        parts.data += passed;
        break;
    case Mark::OnDevice:
        parts.toDevice += passed;
        break;
    case Mark::ForwardDone:
        parts.forward += passed;
        break;
    case Mark::LastGradient:
        parts.backward += passed;
        break;
    case Mark::BackwardDone: // without a gradient of its own that was seen, it was all backward
        (before == Mark::LastGradient ? parts.wait : parts.backward) += passed;
        break;
    case Mark::Done:
        parts.optimizer += passed;
        break;
    }
}

} // namespace

void StepClock::mark(Mark mark)
{
    if (m_held)
        return;
    if (!m_device.is_cpu()) {
        markEvent(mark);
        return;
    }
    const auto now = Clock::now();
    const double passed = std::chrono::duration<double, std::milli>(now - std::exchange(m_last, now)).count();
    const bool moved = mark == Mark::OnDevice; // nothing is moved to a CPU
    addTo(m_lap.parts, std::exchange(m_before, mark), moved ? Mark::DataReady : mark, passed);
}

void StepClock::markEvent(Mark mark)
{
    // Only the last of the gradients counts: its event is recorded again.
    const bool again = mark == Mark::LastGradient && !m_lap.marks.empty() && m_lap.marks.back() == mark;
    if (!again)
        m_lap.marks.push_back(mark);
    if (m_lap.events.size() < m_lap.marks.size())
        m_lap.events.emplace_back(m_device.type(), c10::EventFlag::BACKEND_DEFAULT); // the one that takes the time
    const c10::impl::VirtualGuardImpl guard(m_device.type());
    m_lap.events[m_lap.marks.size() - 1].record(guard.getStream(m_device));
}

void StepClock::turn()
{
    std::swap(m_lap, m_finished);
    m_lap.marks.clear();
    m_lap.parts = {};
}

StepParts StepClock::finished() const
{
    StepParts parts = m_finished.parts;
    const auto& [marks, events, unused] = m_finished;
    if (!marks.empty())
        events[marks.size() - 1].synchronize();
    for (std::size_t i = 1; i < marks.size(); ++i)
        addTo(parts, marks[i - 1], marks[i], events[i - 1].elapsedTime(events[i]));
    return parts;
}

} // namespace lockstep::trainer
