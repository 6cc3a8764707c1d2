// SPDX-License-Identifier: GPL-3.0-or-later
// The one thread that every connected SSH session lives on, and how other threads talk to it. It never waits for
// anything but its event loop. Must outlive every SshTransport; made by app/.
#pragma once

#include "remote/transport.h"

#include <QObject>
#include <QThread>

#include <future>
#include <type_traits>

namespace lockstep {

struct SshShared;

class IoThread {
public:
    IoThread();
    ~IoThread();
    IoThread(const IoThread&) = delete;
    IoThread& operator=(const IoThread&) = delete;

    // Any thread. In the order of posting, later than now even on the I/O thread itself.
    template <typename Function>
    void post(Function function)
    {
        QMetaObject::invokeMethod(m_context, std::move(function), Qt::QueuedConnection);
    }

    // Any other thread: the answer of a question that takes no time.
    template <typename Function>
    [[nodiscard]] auto ask(Function function)
    {
        Q_ASSERT(QThread::currentThread() != &m_thread);
        using Answer = std::invoke_result_t<Function>;
        std::promise<Answer> promise;
        auto future = promise.get_future();
        post([&promise, &function] {
            if constexpr (std::is_void_v<Answer>) {
                function();
                promise.set_value();
            } else {
                promise.set_value(function());
            }
        });
        return future.get();
    }

    [[nodiscard]] SshShared& shared() { return *m_shared; } // I/O thread

private:
    void leave(int turns);

    QThread m_thread;
    QObject* m_context; // lives on the thread, deleted there
    std::unique_ptr<SshShared> m_shared;
};

// Waits for an answer of the I/O thread. When the deadline passes or a stop is requested, `giveUp` asks that thread to
// answer now, with this code; it always does, so the promise is kept exactly once and nothing is lost.
template <typename T, typename GiveUp>
[[nodiscard]] T await(std::future<T>& future, Deadline deadline, const std::stop_token& stop, GiveUp giveUp)
{
    const std::stop_callback onStop(stop, [&giveUp] { giveUp(ErrorCode::Stopped); });
    if (deadline.at == std::chrono::steady_clock::time_point::max())
        future.wait();
    else if (future.wait_until(deadline.at) == std::future_status::timeout)
        giveUp(ErrorCode::Timeout);
    return future.get();
}

} // namespace lockstep
