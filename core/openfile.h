// SPDX-License-Identifier: GPL-3.0-or-later
// An open file of ours: close-on-exec, mode 0600 where it is made.
#pragma once

#include <QByteArray>
#include <QFile>
#include <QString>

#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace lockstep {

class OpenFile {
public:
    OpenFile(const QString& path, int flags)
        : m_fd(::open(QFile::encodeName(path).constData(), flags | O_CLOEXEC, 0600))
    {
    }
    ~OpenFile()
    {
        if (m_fd >= 0)
            ::close(m_fd);
    }
    OpenFile(OpenFile&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    OpenFile& operator=(OpenFile&&) = delete;

    [[nodiscard]] bool isOpen() const { return m_fd >= 0; }
    [[nodiscard]] int get() const { return m_fd; }

    // -1: errno says why. A read shorter than asked for: the file ends there.
    [[nodiscard]] qint64 readAt(qint64 offset, char* into, qint64 bytes) const;
    [[nodiscard]] qint64 write(const char* from, qint64 bytes) const;

private:
    int m_fd;
};

} // namespace lockstep
