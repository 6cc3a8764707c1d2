// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/processtable.h"

#include "remote/agent/clocks.h"
#include "remote/agent/fd.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lockstep::agent {

namespace {

constexpr std::size_t kMaxEnvironmentBytes = 8 * 1024 * 1024; // ARG_MAX is a quarter of the stack limit, 6 MiB at most

std::string procPath(pid_t pid, const char* file)
{
    return "/proc/" + std::to_string(pid) + "/" + file;
}

std::string readSmall(pid_t pid, const char* file)
{
    const Fd fd(::open(procPath(pid, file).c_str(), O_RDONLY | O_CLOEXEC));
    char buffer[2048];
    const ssize_t got = fd.isOpen() ? ::read(fd.get(), buffer, sizeof buffer) : -1;
    return got > 0 ? std::string(buffer, static_cast<std::size_t>(got)) : std::string();
}

// Calls `found(entry)` for each NAME=VALUE until it returns true.
template <typename Found>
void eachVariable(pid_t pid, Found found)
{
    const Fd fd(::open(procPath(pid, "environ").c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd.isOpen())
        return;
    std::string bytes;
    char buffer[16 * 1024];
    std::size_t at = 0;
    while (bytes.size() < kMaxEnvironmentBytes) {
        const ssize_t got = ::read(fd.get(), buffer, sizeof buffer);
        if (got <= 0)
            break;
        bytes.append(buffer, static_cast<std::size_t>(got));
        for (std::size_t end = bytes.find('\0', at); end != std::string::npos; end = bytes.find('\0', at)) {
            if (found(std::string_view(bytes).substr(at, end - at)))
                return;
            at = end + 1;
        }
    }
}

struct CloseFolder {
    void operator()(DIR* folder) const { ::closedir(folder); }
};

} // namespace

std::optional<ProcessStat> readProcess(pid_t pid)
{
    const std::string text = readSmall(pid, "stat");
    // The name may hold anything, also spaces and brackets: the last bracket ends it.
    const std::size_t name = text.rfind(')');
    if (name == std::string::npos)
        return std::nullopt;
    ProcessStat stat;
    stat.id.pid = pid;
    unsigned long user = 0, system = 0;
    unsigned long long start = 0;
    long resident = 0;
    const int read =
        std::sscanf(text.c_str() + name + 1,
                    " %c %d %d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %*d %*d %*d %*d %*d %*d %llu %*u %ld",
                    &stat.state, &stat.parent, &stat.group, &user, &system, &start, &resident);
    if (read != 7)
        return std::nullopt;
    stat.id.startTicks = start;
    stat.cpuTicks = user + system;
    stat.residentPages = resident;
    return stat;
}

bool isRunning(const ProcessId& id)
{
    const auto stat = readProcess(id.pid);
    return stat && stat->id == id && stat->isRunning();
}

std::optional<std::int64_t> startedWallUs(pid_t pid)
{
    const auto stat = readProcess(pid);
    const long perSecond = ::sysconf(_SC_CLK_TCK);
    if (!stat || perSecond <= 0)
        return std::nullopt;
    const auto sinceBootUs =
        static_cast<std::int64_t>(static_cast<double>(stat->id.startTicks) * 1e6 / static_cast<double>(perSecond));
    return wallUs() - (readClockUs(CLOCK_BOOTTIME) - sinceBootUs);
}

std::vector<ProcessStat> ownProcesses()
{
    std::vector<ProcessStat> processes;
    const std::unique_ptr<DIR, CloseFolder> folder(::opendir("/proc"));
    if (folder == nullptr)
        return processes;
    const uid_t user = ::geteuid();
    while (const dirent* entry = ::readdir(folder.get())) {
        pid_t pid = 0;
        const char* const end = entry->d_name + std::strlen(entry->d_name);
        const auto parsed = std::from_chars(entry->d_name, end, pid);
        struct stat status {};
        if (parsed.ec != std::errc{} || parsed.ptr != end ||
            ::fstatat(::dirfd(folder.get()), entry->d_name, &status, 0) != 0 || status.st_uid != user)
            continue;
        if (const auto stat = readProcess(pid))
            processes.push_back(*stat);
    }
    return processes;
}

std::optional<std::string> environmentOf(pid_t pid, std::string_view name)
{
    std::optional<std::string> value;
    eachVariable(pid, [&](std::string_view entry) {
        if (entry.size() <= name.size() || entry[name.size()] != '=' || !entry.starts_with(name))
            return false;
        value = entry.substr(name.size() + 1);
        return true;
    });
    return value;
}

bool hasEnvironment(pid_t pid, std::string_view nameAndValue)
{
    bool has = false;
    eachVariable(pid, [&](std::string_view entry) { return has = entry == nameAndValue; });
    return has;
}

std::string programOf(pid_t pid)
{
    char path[4096];
    const ssize_t got = ::readlink(procPath(pid, "exe").c_str(), path, sizeof path);
    return got > 0 ? std::string(path, static_cast<std::size_t>(got)) : std::string();
}

std::string commandOf(pid_t pid)
{
    std::string name = readSmall(pid, "comm");
    while (!name.empty() && name.back() == '\n')
        name.pop_back();
    return name;
}

SignalResult sendSignal(const ProcessId& id, int signal)
{
    // The descriptor pins the process; only then is the start time worth reading.
    const Fd pinned(static_cast<int>(::syscall(SYS_pidfd_open, id.pid, 0U)));
    if (!pinned.isOpen() && errno != ENOSYS)
        return errno == ESRCH ? SignalResult::Gone : SignalResult::Refused;
    const auto stat = readProcess(id.pid);
    if (!stat || stat->id != id)
        return SignalResult::Gone;
    const long sent = pinned.isOpen() ? ::syscall(SYS_pidfd_send_signal, pinned.get(), signal, nullptr, 0U)
                                      : ::kill(id.pid, signal); // before Linux 5.3
    if (sent == 0)
        return SignalResult::Sent;
    return errno == ESRCH ? SignalResult::Gone : SignalResult::Refused;
}

} // namespace lockstep::agent
