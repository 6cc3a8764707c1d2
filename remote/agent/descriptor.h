// SPDX-License-Identifier: GPL-3.0-or-later
// Owns a file descriptor. Move-only.
#pragma once

#include <unistd.h>
#include <utility>

namespace lockstep::agent {

class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int fd) : m_fd(fd) {}
    Descriptor(Descriptor&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept
    {
        if (this != &other)
            reset(std::exchange(other.m_fd, -1));
        return *this;
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { reset(); }

    [[nodiscard]] int get() const { return m_fd; }
    [[nodiscard]] bool valid() const { return m_fd >= 0; }
    void reset(int fd = -1)
    {
        if (m_fd >= 0)
            ::close(m_fd); // not retried on EINTR: Linux has closed it
        m_fd = fd;
    }

private:
    int m_fd = -1;
};

} // namespace lockstep::agent
