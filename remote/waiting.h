// SPDX-License-Identifier: GPL-3.0-or-later
// What a poll loop on a worker thread needs to honour a deadline and stop tokens.
#pragma once

#include "remote/descriptor.h"
#include "remote/transport.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <functional>
#include <stop_token>

namespace lockstep {

[[nodiscard]] inline bool passed(Deadline deadline)
{
    return std::chrono::steady_clock::now() >= deadline.at;
}

[[nodiscard]] inline Deadline earlier(Deadline a, Deadline b)
{
    return {std::min(a.at, b.at)};
}

// The deadline moved by time that was spent waiting for somebody else: a person, one's turn, another's connection.
[[nodiscard]] inline Deadline later(Deadline deadline, std::chrono::steady_clock::duration time)
{
    if (deadline.at == std::chrono::steady_clock::time_point::max())
        return deadline;
    return {deadline.at + time};
}

// For poll(): rounded up, so that a loop does not spin through the last millisecond.
[[nodiscard]] inline int pollTimeout(Deadline deadline)
{
    if (deadline.at == std::chrono::steady_clock::time_point::max())
        return -1;
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline.at - std::chrono::steady_clock::now()).count();
    return static_cast<int>(std::clamp<decltype(left)>(left, 0, 3'600'000));
}

// A descriptor that becomes readable, and stays so, once one of two tokens was asked to stop.
class StopWake {
public:
    StopWake(std::stop_token first, std::stop_token second)
        : m_event(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)), m_first(std::move(first), [this] { wake(); }),
          m_second(std::move(second), [this] { wake(); })
    {
    }
    [[nodiscard]] pollfd pollEntry() const { return {m_event.get(), POLLIN, 0}; }

private:
    void wake() const { eventfd_write(m_event.get(), 1); }

    Descriptor m_event;
    std::stop_callback<std::function<void()>> m_first;
    std::stop_callback<std::function<void()>> m_second;
};

} // namespace lockstep
