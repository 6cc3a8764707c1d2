// SPDX-License-Identifier: GPL-3.0-or-later
// Waiting on a worker thread for nothing but time, ended at once by a stop request or a wake.
#pragma once

#include <chrono>
#include <memory>
#include <random>
#include <semaphore>
#include <stop_token>

namespace lockstep {

class Pause {
public:
    void wake() { m_semaphore.release(); } // any thread; a wake before the wait ends the next wait
    void wait(std::chrono::milliseconds time, std::stop_token stop)
    {
        const std::stop_callback onStop(std::move(stop), [this] { m_semaphore.release(); });
        (void)m_semaphore.try_acquire_for(time);
    }

private:
    std::counting_semaphore<> m_semaphore{0};
};

// 0.5 s, 1 s, 2 s ... 15 s, each times 0.5 to 1.5, so that 64 nodes behind one address do not come back in step.
class BackOff {
public:
    [[nodiscard]] std::chrono::milliseconds next()
    {
        const auto time = std::chrono::milliseconds(std::min<int>(kMostMs, kFirstMs << m_tries));
        m_tries = std::min(m_tries + 1, 10);
        std::uniform_real_distribution<double> jitter(0.5, 1.5);
        return std::chrono::milliseconds(static_cast<int>(static_cast<double>(time.count()) * jitter(m_random)));
    }
    void reset() { m_tries = 0; }

private:
    static constexpr int kFirstMs = 500, kMostMs = 15'000;
    int m_tries = 0;
    std::minstd_rand m_random{std::random_device{}()};
};

} // namespace lockstep
