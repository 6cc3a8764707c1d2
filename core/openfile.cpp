// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/openfile.h"

#include <cerrno>

namespace lockstep {

qint64 OpenFile::readAt(qint64 offset, char* into, qint64 bytes) const
{
    qint64 have = 0;
    while (have < bytes) {
        const ssize_t got = ::pread(m_fd, into + have, static_cast<std::size_t>(bytes - have), offset + have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        have += got;
    }
    return have;
}

qint64 OpenFile::write(const char* from, qint64 bytes) const
{
    qint64 done = 0;
    while (done < bytes) {
        const ssize_t written = ::write(m_fd, from + done, static_cast<std::size_t>(bytes - done));
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return -1;
        done += written;
    }
    return done;
}

} // namespace lockstep
