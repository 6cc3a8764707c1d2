// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/spawn.h"

#include "core/wire/runtag.h"
#include "remote/agent/cpuset.h"
#include "remote/agent/folders.h"
#include "remote/agent/runfiles.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <pwd.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lockstep::agent {

namespace {

constexpr std::string_view kDefaultPath = "/usr/local/bin:/usr/bin:/bin";
constexpr int kMetricsDescriptor = 3;
constexpr int kRefusedExitCode = 127;

struct Pipe {
    Fd read;
    Fd write;
};

Outcome<Pipe> makePipe()
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return failedSystemCall("make a pipe");
    Pipe pipe{Fd(ends[0]), Fd(ends[1])};
    ::fcntl(pipe.read.get(), F_SETFL, O_NONBLOCK); // the rank's end blocks, as programs expect
    return pipe;
}

std::vector<char*> pointers(const std::vector<std::string>& strings)
{
    std::vector<char*> result;
    result.reserve(strings.size() + 1);
    for (const std::string& string : strings)
        result.push_back(const_cast<char*>(string.c_str())); // execve does not write to them
    result.push_back(nullptr);
    return result;
}

std::string loginValue(const char* name)
{
    if (const char* value = std::getenv(name))
        return value;
    const std::string_view wanted = name;
    if (wanted == "HOME")
        return homeFolder();
    if (wanted == "PATH")
        return std::string(kDefaultPath);
    const passwd* entry = wanted == "USER" || wanted == "LOGNAME" ? ::getpwuid(::geteuid()) : nullptr;
    return entry != nullptr ? entry->pw_name : "";
}

struct ChildSetup { // all that the child needs, made before the fork
    const char* program;
    const char* cwd;
    char* const* argv;
    char* const* env;
    int null;
    int out;
    int err;
    int metrics;
    int refusal;
    const cpu_set_t* cpus; // null: as the supervisor
    std::size_t cpusSize;
};

// Only async-signal-safe calls from here to execve.
[[noreturn]] void becomeRank(const ChildSetup& setup)
{
    ::setpgid(0, 0);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (const int signal : {SIGPIPE, SIGHUP, SIGXFSZ})
        ::signal(signal, SIG_DFL);
    // Where these CPUs are not to be had (a control group took them meanwhile) it runs on all: slower is not broken.
    if (setup.cpus != nullptr)
        ::sched_setaffinity(0, setup.cpusSize, setup.cpus);
    // All sources are above 3 (spawnRank saw to it), so no dup2 overwrites one that is still needed.
    const bool placed = ::dup2(setup.null, 0) >= 0 && ::dup2(setup.out, 1) >= 0 && ::dup2(setup.err, 2) >= 0 &&
                        ::dup2(setup.metrics, kMetricsDescriptor) >= 0 && ::chdir(setup.cwd) == 0;
    if (placed)
        ::execve(setup.program, setup.argv, setup.env);
    const int error = errno;
    [[maybe_unused]] const ssize_t told = ::write(setup.refusal, &error, sizeof error);
    ::_exit(kRefusedExitCode);
}

// The same descriptor at a number above 3.
Outcome<Fd> raised(Fd fd)
{
    if (fd.get() > kMetricsDescriptor)
        return fd;
    Fd higher(::fcntl(fd.get(), F_DUPFD_CLOEXEC, kMetricsDescriptor + 1));
    if (!higher.isOpen())
        return failedSystemCall("copy a descriptor");
    return higher;
}

} // namespace

std::vector<std::string> rankEnvironment(const Job& job, const RankJob& rank, const std::string& runFolder)
{
    // First, so that a sweep finds it in the first bytes.
    std::vector<std::string> env{std::string(wire::kRunFolderVariable) + "=" + runFolder,
                                 std::string(wire::kRunVariable) + "=" + job.run,
                                 std::string(wire::kAttemptVariable) + "=" + std::to_string(job.attempt)};
    for (const std::string& entry : rank.env) {
        const std::string_view name = std::string_view(entry).substr(0, entry.find('='));
        if (name != wire::kRunFolderVariable && name != wire::kRunVariable && name != wire::kAttemptVariable)
            env.push_back(entry);
    }
    for (const char* name : {"HOME", "USER", "LOGNAME", "PATH", "LANG"}) {
        const std::string beginning = std::string(name) + "=";
        const bool there =
            std::ranges::any_of(rank.env, [&](const std::string& e) { return e.starts_with(beginning); });
        const std::string value = there ? std::string() : loginValue(name);
        if (!value.empty())
            env.push_back(beginning + value);
    }
    return env;
}

Outcome<std::string> findProgram(const std::string& name, std::string_view path, const std::string& cwd)
{
    std::vector<std::string> tries;
    if (name.find('/') != std::string::npos) {
        tries.push_back(name[0] == '/' ? name : cwd + "/" + name);
    } else {
        std::string_view rest = path.empty() ? kDefaultPath : path;
        while (!rest.empty() && !name.empty()) {
            const std::string_view folder = rest.substr(0, rest.find(':'));
            if (folder.starts_with('/'))
                tries.push_back(std::string(folder) + "/" + name);
            rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
        }
    }
    std::string why = "is not in PATH";
    for (const std::string& program : tries) {
        struct stat status {};
        if (::stat(program.c_str(), &status) != 0) {
            if (tries.size() == 1)
                why = std::string("can't be started: ") + std::strerror(errno);
        } else if (!S_ISREG(status.st_mode)) {
            why = "is not a program (a folder or a device)";
        } else if (::access(program.c_str(), X_OK) != 0) {
            why = std::string("can't be started: ") + std::strerror(errno);
        } else {
            return program;
        }
    }
    return failed("bad_job", "the program " + name + " " + why);
}

Outcome<SpawnedRank> spawnRank(const Job& job, const RankJob& rank, const std::string& runFolder)
{
    const std::string cwd = workingFolder(job, runFolder);
    const std::vector<std::string> environment = rankEnvironment(job, rank, runFolder);
    std::string_view path = rank.variable("PATH");
    const std::string login = loginValue("PATH");
    const auto program = findProgram(rank.argv.front(), path.empty() ? login : path, cwd);
    if (!program)
        return std::unexpected(program.error());

    auto null = raised(Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)));
    if (!null || !null->isOpen())
        return failedSystemCall("open /dev/null");
    Pipe pipes[4]; // out, err, metrics, refusal
    for (Pipe& pipe : pipes) {
        auto made = makePipe();
        if (!made)
            return std::unexpected(made.error());
        auto write = raised(std::move(made->write));
        if (!write)
            return std::unexpected(write.error());
        pipe = {std::move(made->read), std::move(*write)};
    }
    const auto argv = pointers(rank.argv);
    const auto env = pointers(environment);
    const CpuMask mask(CpuSet::parse(rank.cpus));
    const ChildSetup setup{program->c_str(),     cwd.c_str(),          argv.data(),          env.data(),
                           null->get(),          pipes[0].write.get(), pipes[1].write.get(), pipes[2].write.get(),
                           pipes[3].write.get(), mask.get(),           mask.size()};
    const pid_t pid = ::fork();
    if (pid < 0)
        return failedSystemCall("start a process");
    if (pid == 0)
        becomeRank(setup);
    ::setpgid(pid, pid); // whoever comes first: the group is there when this returns
    return SpawnedRank{pid, std::move(pipes[0].read), std::move(pipes[1].read), std::move(pipes[2].read),
                       std::move(pipes[3].read)};
}

Refusal readRefusal(const Fd& refusal, const std::string& program)
{
    int error = 0;
    const ssize_t got = ::read(refusal.get(), &error, sizeof error);
    if (got == 0)
        return {StartAnswer::Running, {}};
    if (got == static_cast<ssize_t>(sizeof error))
        return {StartAnswer::Refused, "can't start " + program + ": " + std::strerror(error)};
    return {};
}

} // namespace lockstep::agent
