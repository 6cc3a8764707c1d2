// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/supervisorstart.h"

#include "remote/agent/bundlelock.h"
#include "remote/agent/supervisor.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <malloc.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace lockstep::agent {

namespace {

constexpr unsigned kFirstOther = 3; // after stdin, stdout, stderr

void leaveTerminal(const std::string& runFolder)
{
    const int null = ::open("/dev/null", O_RDONLY);
    const int log = ::open((runFolder + "/supervisor.log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0600);
    ::dup2(null, 0);
    ::dup2(log, 1);
    ::dup2(log, 2);
    // What came from the login, the connection's descriptors among it, must not be held open.
    if (::syscall(SYS_close_range, kFirstOther, ~0U, 0U) != 0) {
        for (int fd = kFirstOther; fd < ::sysconf(_SC_OPEN_MAX); ++fd)
            ::close(fd);
    }
    [[maybe_unused]] const int moved = ::chdir("/");
}

[[noreturn]] void superviseAndExit(const Job& job, const std::string& runFolder)
{
    leaveTerminal(runFolder);
    auto lock = RunLock::take(runFolder);
    if (!lock)
        ::_exit(0);                             // a second start of the same run: harmless
    const UseLocks bundles = UseLocks::of(job); // nobody removes what the ranks run from
    auto supervisor = Supervisor::prepare(job, runFolder, std::move(*lock));
    if (!supervisor) {
        std::fprintf(stderr, "%s\n", supervisor.error().text.c_str());
        ::_exit(1);
    }
    ::malloc_trim(0); // what the launch needed to read the job
    (*supervisor)->run();
    ::_exit(0);
}

} // namespace

Outcome<void> startSupervisor(const Job& job, const std::string& runFolder)
{
    const pid_t child = ::fork();
    if (child < 0)
        return failedSystemCall("start the supervisor");
    if (child == 0) {
        ::setsid();
        const pid_t grandchild = ::fork();
        if (grandchild == 0)
            superviseAndExit(job, runFolder);
        ::_exit(grandchild > 0 ? 0 : 1);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return failed("io", "can't start the supervisor: no process is to be had");
    return {};
}

} // namespace lockstep::agent
