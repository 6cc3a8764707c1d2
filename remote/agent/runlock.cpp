// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/runlock.h"

#include "remote/agent/clocks.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace lockstep::agent {

namespace {

constexpr std::int64_t kNodeLockDeadlineUs =
    20'000'000; // a launch holds it until its supervisor is prepared: milliseconds
constexpr useconds_t kRetryUs = 5'000;

struct flock wholeFile()
{
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    return lock;
}

Fd openLock(const std::string& path, int flags)
{
    return Fd(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, 0600));
}

} // namespace

Outcome<RunLock> RunLock::take(const std::string& runFolder)
{
    Fd file = openLock(runFolder + "/lock", O_RDWR | O_CREAT);
    if (!file.isOpen())
        return failedSystemCall("open " + runFolder + "/lock");
    struct flock lock = wholeFile();
    if (::fcntl(file.get(), F_SETLK, &lock) != 0)
        return failed("busy", "another process holds " + runFolder + "/lock");
    return RunLock(std::move(file));
}

std::optional<pid_t> RunLock::holder(const std::string& runFolder)
{
    const Fd file = openLock(runFolder + "/lock", O_RDWR);
    if (!file.isOpen())
        return std::nullopt;
    struct flock lock = wholeFile();
    if (::fcntl(file.get(), F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK)
        return std::nullopt;
    return lock.l_pid;
}

Outcome<NodeLock> NodeLock::take(const std::string& runsFolder)
{
    Fd file = openLock(runsFolder + "/.launch-lock", O_RDWR | O_CREAT);
    if (!file.isOpen())
        return failedSystemCall("open " + runsFolder + "/.launch-lock");
    const std::int64_t deadline = monotonicUs() + kNodeLockDeadlineUs;
    while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return failedSystemCall("lock " + runsFolder);
        if (monotonicUs() > deadline)
            return failed("busy", "another launch on this node has not come to its end for 20 s; try again");
        ::usleep(kRetryUs);
    }
    return NodeLock(std::move(file));
}

} // namespace lockstep::agent
