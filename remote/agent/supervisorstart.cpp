// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/supervisorstart.h"

#include "remote/agent/bundlelock.h"
#include "remote/agent/clocks.h"
#include "remote/agent/fd.h"
#include "remote/agent/runslist.h"
#include "remote/agent/supervisor.h"
#include "remote/agent/usermanager.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <malloc.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace lockstep::agent {

namespace {

constexpr unsigned kFirstOther = 3;                  // after stdin, stdout, stderr
constexpr std::int64_t kScopeDeadlineUs = 5'000'000; // systemd-run takes 50 ms
constexpr useconds_t kLookAgainUs = 1'000;

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

int supervise(const Job& job, const std::string& runFolder, const std::string& place)
{
    auto lock = RunLock::take(runFolder);
    if (!lock)
        return 0;                             // a second start of the same run: harmless
    const auto bundles = UseLocks::take(job); // nobody removes what the ranks run from
    if (!bundles) {
        std::fprintf(stderr, "%s\n", bundles.error().text.c_str());
        return 1;
    }
    auto supervisor = Supervisor::prepare(job, runFolder, std::move(*lock), place);
    if (!supervisor) {
        std::fprintf(stderr, "%s\n", supervisor.error().text.c_str());
        return 1;
    }
    ::malloc_trim(0); // what the launch needed to read the job
    (*supervisor)->run();
    return 0;
}

// Twice, with a session between: init's child, and no terminal can ever become its own. `inside` does not return.
Outcome<pid_t> forkAway(const std::function<void()>& inside)
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return failedSystemCall("start the supervisor");
    const Fd read(ends[0]), write(ends[1]);
    const pid_t child = ::fork();
    if (child < 0)
        return failedSystemCall("start the supervisor");
    if (child == 0) {
        ::setsid();
        const pid_t grandchild = ::fork();
        if (grandchild == 0) {
            inside();
            ::_exit(1);
        }
        const bool told = ::write(write.get(), &grandchild, sizeof grandchild) == sizeof grandchild;
        ::_exit(grandchild > 0 && told ? 0 : 1);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    pid_t grandchild = 0;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 ||
        ::read(read.get(), &grandchild, sizeof grandchild) != sizeof grandchild)
        return failed("io", "can't start the supervisor: no process is to be had");
    return grandchild;
}

// The running program, also after its file was replaced: this process lives until the supervisor stands.
std::string ownProgram()
{
    return "/proc/" + std::to_string(::getpid()) + "/exe";
}

Outcome<void> startInScope(const Job& job, const std::string& runFolder)
{
    const std::string unit = "lockstep-" + job.run + "-" + std::to_string(job.attempt) + ".scope";
    auto command = scopeCommand(unit, ownProgram());
    if (!command)
        return std::unexpected(command.error());
    command->insert(command->end(), {"supervise", job.run});
    std::vector<char*> argv;
    for (std::string& word : *command)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    const std::string runtime = userRuntimeFolder();
    const auto started = forkAway([&] {
        leaveTerminal(runFolder);
        ::setenv("XDG_RUNTIME_DIR", runtime.c_str(), 1);
        ::execv(argv[0], argv.data());
    });
    if (!started)
        return std::unexpected(started.error());
    const std::int64_t deadline = monotonicUs() + kScopeDeadlineUs;
    while (monotonicUs() < deadline && ::kill(*started, 0) == 0) {
        if (RunLock::holder(runFolder))
            return {};
        ::usleep(kLookAgainUs);
    }
    return failed("io", "no scope came");
}

} // namespace

Outcome<void> startSupervisor(const Job& job, const std::string& runFolder)
{
    if (startInScope(job, runFolder))
        return {};
    const auto started = forkAway([&] {
        leaveTerminal(runFolder);
        ::_exit(supervise(job, runFolder, "in a session of its own"));
    });
    return started ? Outcome<void>() : std::unexpected(started.error());
}

int runSupervise(const std::string& run)
{
    const auto folder = findRun(run);
    const auto job = folder ? readJob(*folder) : Outcome<Job>(std::unexpected(folder.error()));
    if (!job) {
        std::fprintf(stderr, "%s\n", job.error().text.c_str());
        return 1;
    }
    return supervise(*job, *folder, "in a scope of the user's systemd");
}

} // namespace lockstep::agent
