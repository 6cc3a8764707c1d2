// SPDX-License-Identifier: GPL-3.0-or-later
// Tells when a socket can be read or written, through one epoll for all sockets of a thread: the event loop's own poll
// over hundreds of sockets at each wake costs more than reading what came. Thread: the one it was made on, which must
// run an event loop.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace lockstep {

class SocketWatch {
public:
    // `ready` may destroy any watch, this one too. Nothing is watched at first. Whoever changes what is watched looks
    // at error() then.
    SocketWatch(int fd, const std::function<void()>& ready);
    ~SocketWatch(); // before the descriptor is closed
    SocketWatch(const SocketWatch&) = delete;
    SocketWatch& operator=(const SocketWatch&) = delete;

    // 0; else the errno of the last change that failed, and what was watched before still is: no descriptor, memory or
    // place in the system's table of watches is left, or `fd` is closed.
    [[nodiscard]] int error() const { return m_error; }

    void setReading(bool watched) { set(watched, m_writing); }
    void setWriting(bool watched) { set(m_reading, watched); }

private:
    class Hub;

    void set(bool reading, bool writing);

    std::shared_ptr<Hub> m_hub; // of the thread
    int m_fd;
    std::uint64_t m_id;
    int m_error = 0;
    bool m_reading = false, m_writing = false;
};

} // namespace lockstep
