// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/sweep.h"

#include "core/wire/runtag.h"

#include <algorithm>
#include <csignal>
#include <set>
#include <thread>
#include <unistd.h>
#include <unordered_map>

namespace lockstep::agent {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kLookAgain = 10ms;   // whether those that we know still run
constexpr auto kScanAgain = 200ms;  // a whole scan while the grace time passes
constexpr auto kKillDeadline = 10s; // against what forks faster than it is found
constexpr int kQuietScans = 2;      // scans in a row that find nothing: none was between fork and exec
constexpr int kFreezeRounds = 5;    // stopping first keeps a fork bomb from refilling what KILL took

class Family { // who descends from the supervisor
public:
    explicit Family(const std::vector<ProcessStat>& processes, pid_t supervisor)
        : m_supervisor(supervisor), m_program(supervisor > 0 ? programOf(supervisor) : std::string())
    {
        for (const ProcessStat& process : processes)
            m_parents.emplace(process.id.pid, process.parent);
    }

    // Its own helpers (sampler, compression) run its own program: they and their children are none of the run's.
    [[nodiscard]] bool has(pid_t pid) const
    {
        if (m_supervisor <= 0)
            return false;
        std::size_t steps = 0;
        for (pid_t at = pid; at > 1 && steps <= m_parents.size(); ++steps) {
            if (at == m_supervisor)
                return true;
            const auto parent = m_parents.find(at);
            const std::string program = programOf(at); // empty: it is on its way out, a helper perhaps
            if (parent == m_parents.end() || program.empty() || program == m_program)
                return false;
            at = parent->second;
        }
        return false;
    }

private:
    pid_t m_supervisor;
    std::string m_program;
    std::unordered_map<pid_t, pid_t> m_parents;
};

void signalAll(const std::vector<ProcessId>& processes, int signal)
{
    for (const ProcessId& process : processes)
        sendSignal(process, signal);
}

// Waits until none of the run's processes is left or the grace time has passed.
void waitForEnd(const SweepTarget& target, std::chrono::milliseconds grace, std::set<ProcessId>& seen)
{
    const auto deadline = Clock::now() + grace;
    std::vector<ProcessId> known = findProcesses(target);
    signalAll(known, SIGTERM);
    signalAll(known, SIGCONT); // a stopped process cannot end by itself
    seen.insert(known.begin(), known.end());
    auto nextScan = Clock::now() + kScanAgain;
    while (!known.empty() && Clock::now() < deadline) {
        std::this_thread::sleep_for(kLookAgain);
        std::erase_if(known, [](const ProcessId& process) { return !isRunning(process); });
        if (!known.empty() && Clock::now() < nextScan)
            continue;
        known = findProcesses(target);
        for (const ProcessId& process : known) { // born since
            if (seen.insert(process).second)
                sendSignal(process, SIGTERM);
        }
        nextScan = Clock::now() + kScanAgain;
    }
}

} // namespace

SweepTarget withoutSupervisor(const std::string& runFolder)
{
    return {runFolder, 0, RankPipes::load(runFolder)};
}

std::vector<ProcessId> findProcesses(const SweepTarget& target)
{
    const std::vector<ProcessStat> processes = ownProcesses();
    const Family family(processes, target.supervisor);
    const std::string tag = std::string(wire::kRunFolderVariable) + "=" + target.runFolder;
    const pid_t self = ::getpid();
    std::vector<ProcessId> found;
    for (const ProcessStat& process : processes) {
        const pid_t pid = process.id.pid;
        if (pid == self || pid == target.supervisor || !process.isRunning())
            continue;
        if (hasEnvironment(pid, tag) || family.has(pid) || target.pipes.isHeldBy(pid))
            found.push_back(process.id);
    }
    return found;
}

SweepResult sweep(const SweepTarget& target, std::chrono::milliseconds grace)
{
    std::set<ProcessId> seen;
    waitForEnd(target, grace, seen);

    const auto deadline = Clock::now() + kKillDeadline;
    int quiet = 0;
    int freeze = 0;
    std::vector<ProcessId> found;
    while (quiet < kQuietScans && Clock::now() < deadline) {
        found = findProcesses(target);
        const bool grew = std::ranges::any_of(found, [&](const ProcessId& process) { return !seen.contains(process); });
        seen.insert(found.begin(), found.end());
        quiet = found.empty() ? quiet + 1 : 0;
        if (grew && freeze++ < kFreezeRounds) {
            signalAll(found, SIGSTOP);
            continue;
        }
        signalAll(found, SIGKILL);
        if (!found.empty())
            std::this_thread::sleep_for(kLookAgain);
    }

    // A killed process has no environment any more but is there for a moment: found by no scan, and not gone yet.
    const auto runs = [](const ProcessId& process) { return isRunning(process); };
    while (std::ranges::any_of(seen, runs) && Clock::now() < deadline)
        std::this_thread::sleep_for(kLookAgain);

    SweepResult result;
    for (const ProcessId& process : seen) {
        if (isRunning(process))
            result.left.push_back(process);
        else
            result.gone.push_back(process);
    }
    return result;
}

} // namespace lockstep::agent
