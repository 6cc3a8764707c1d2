// SPDX-License-Identifier: GPL-3.0-or-later
// An answer of the I/O thread that one other thread waits for. Only the first one counts. Thread: I/O, but for
// future().
#pragma once

#include <future>
#include <optional>
#include <utility>

namespace lockstep {

template <typename T>
class OnceAnswer {
public:
    [[nodiscard]] std::future<T> future() { return m_promise->get_future(); } // once, by whoever waits

    bool give(T answer) // false: it had been given
    {
        if (!m_promise)
            return false;
        std::exchange(m_promise, std::nullopt)->set_value(std::move(answer));
        return true;
    }

private:
    std::optional<std::promise<T>> m_promise{std::in_place};
};

} // namespace lockstep
