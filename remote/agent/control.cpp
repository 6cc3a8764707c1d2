// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/control.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lockstep::agent {

namespace {

std::string controlPath(const std::string& runFolder)
{
    return runFolder + "/control";
}

} // namespace

Outcome<Fd> openControl(const std::string& runFolder)
{
    const std::string path = controlPath(runFolder);
    if (::mkfifo(path.c_str(), 0600) != 0 && errno != EEXIST)
        return failedSystemCall("make " + path);
    // Read and write, so that the pipe does not end when a verb closes its end.
    Fd fd(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW));
    if (!fd.isOpen())
        return failedSystemCall("open " + path);
    return fd;
}

Outcome<void> sendControl(const std::string& runFolder, std::string_view record)
{
    const std::string path = controlPath(runFolder);
    const Fd fd(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW));
    if (!fd.isOpen())
        return failed("lost", "the run's supervisor is gone");
    // Below PIPE_BUF a write is whole or not at all.
    if (::write(fd.get(), record.data(), record.size()) != static_cast<ssize_t>(record.size()))
        return failedSystemCall("write to " + path);
    return {};
}

} // namespace lockstep::agent
