// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/proctree.h"

#include "remote/agent/fd.h"

#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>
#include <vector>

namespace lockstep::agent {

namespace {

constexpr std::size_t kMaxProcesses = 64; // of one tree; a rank with more is a program of another kind

void appendChildren(pid_t pid, std::vector<pid_t>& pids)
{
    const std::string name = std::to_string(pid);
    const Fd file(::open(("/proc/" + name + "/task/" + name + "/children").c_str(), O_RDONLY | O_CLOEXEC));
    char buffer[1024];
    const ssize_t got = file.isOpen() ? ::read(file.get(), buffer, sizeof buffer - 1) : 0;
    if (got <= 0)
        return;
    buffer[got] = '\0';
    char* at = buffer;
    while (pids.size() < kMaxProcesses) {
        char* end = at;
        const long child = std::strtol(at, &end, 10);
        if (end == at || child <= 0)
            return;
        pids.push_back(static_cast<pid_t>(child));
        at = end;
    }
}

} // namespace

std::optional<TreeUse> ProcessTree::read(std::int64_t nowUs)
{
    static const double ticksPerSecond = static_cast<double>(::sysconf(_SC_CLK_TCK));
    static const std::int64_t pageBytes = ::sysconf(_SC_PAGESIZE);
    TreeUse use;
    std::uint64_t spent = 0;
    std::map<ProcessId, std::uint64_t> ticks;
    std::vector<pid_t> pids{m_root};
    for (std::size_t i = 0; i < pids.size(); ++i) {
        const auto process = readProcess(pids[i]);
        if (!process || !process->isRunning())
            continue;
        use.residentBytes += process->residentPages * pageBytes;
        const auto before = m_ticks.find(process->id);
        spent += process->cpuTicks - (before != m_ticks.end() ? before->second
                                      : m_ticks.empty()       ? process->cpuTicks
                                                              : 0);
        ticks[process->id] = process->cpuTicks;
        appendChildren(pids[i], pids);
    }
    if (ticks.empty())
        return std::nullopt;
    if (m_readUs > 0 && nowUs > m_readUs)
        use.cpuPercent = static_cast<double>(spent) / ticksPerSecond * 1e8 / static_cast<double>(nowUs - m_readUs);
    m_ticks = std::move(ticks);
    m_readUs = nowUs;
    return use;
}

} // namespace lockstep::agent
