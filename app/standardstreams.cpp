// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/standardstreams.h"

#include <cstdio>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace lockstep {

void openStandardStreams()
{
    for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd) // NOLINT: the lowest free number is this one
            _exit(1);
}

std::optional<QString> outputLost()
{
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0)
        return std::nullopt;
    pollfd out{STDOUT_FILENO, POLLOUT, 0};
    if (poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0)
        return std::nullopt;
    return QStringLiteral("What was to be printed could not be written whole. Is the disk behind the output full?");
}

} // namespace lockstep
