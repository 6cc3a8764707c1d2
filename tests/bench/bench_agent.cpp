// SPDX-License-Identifier: GPL-3.0-or-later
// What the agent costs a node: its start, and the supervisor with its sampler at 1 Hz over some seconds, from /proc.
//   bench_agent LOCKSTEP-AGENT [SECONDS [RANKS]]
#include "remote/agent/clocks.h"
#include "remote/agent/processtable.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

using namespace lockstep::agent;

namespace {

constexpr int kStarts = 30;

double milliseconds(const std::string& command)
{
    const std::int64_t start = monotonicUs();
    if (std::system(command.c_str()) != 0)
        std::printf("failed: %s\n", command.c_str());
    return static_cast<double>(monotonicUs() - start) / 1000;
}

double median(std::vector<double> values)
{
    std::ranges::sort(values);
    return values[values.size() / 2];
}

std::string jobText(int ranks)
{
    std::string text = "job - 0 run=bench node=bench grace=1\n";
    for (int rank = 0; rank < ranks; ++rank) {
        const std::string number = std::to_string(rank);
        text += "rank " + number + " 0 local=" + number + "\narg " + number + " 0 v=/bin/sleep\narg " + number +
                " 0 v=1000\n";
    }
    return text + "end - 0\ngo - 0\n";
}

// Nanoseconds on a core: /proc/PID/schedstat, for clock ticks of 10 ms are too coarse here.
double cpuSeconds(pid_t pid)
{
    std::ifstream file("/proc/" + std::to_string(pid) + "/schedstat");
    double nanoseconds = 0;
    file >> nanoseconds;
    return nanoseconds * 1e-9;
}

long statusKilobytes(pid_t pid, const std::string& key)
{
    std::ifstream file("/proc/" + std::to_string(pid) + "/status");
    for (std::string word; file >> word;)
        if (word == key) {
            long value = 0;
            file >> value;
            return value;
        }
    return 0;
}

pid_t findSupervisor(const std::string& program)
{
    for (const ProcessStat& process : ownProcesses())
        if (programOf(process.id.pid) == program && environmentOf(process.id.pid, "LOCKSTEP_BENCH").has_value() &&
            process.parent == 1)
            return process.id.pid;
    return 0;
}

std::vector<pid_t> childrenOf(pid_t parent, const std::string& program)
{
    std::vector<pid_t> pids;
    for (const ProcessStat& process : ownProcesses())
        if (process.parent == parent && programOf(process.id.pid) == program)
            pids.push_back(process.id.pid);
    return pids;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 2)
        return 2;
    char resolved[4096];
    if (::realpath(argv[1], resolved) == nullptr)
        return 2;
    const std::string agent = resolved;
    const int seconds = argc > 2 ? std::atoi(argv[2]) : 20;
    const int ranks = argc > 3 ? std::atoi(argv[3]) : 8;
    char folder[] = "/tmp/lockstep-bench-XXXXXX";
    if (::mkdtemp(folder) == nullptr)
        return 1;
    ::setenv("LOCKSTEP_RUNS_DIR", (std::string(folder) + "/runs").c_str(), 1);
    ::setenv("LOCKSTEP_BENCH", "1", 1);

    std::vector<double> nothing, starts;
    for (int i = 0; i < kStarts; ++i) {
        nothing.push_back(milliseconds("/bin/true >/dev/null"));
        starts.push_back(milliseconds(agent + " version >/dev/null"));
    }
    std::printf("start: %.1f ms for `version`, %.1f ms for /bin/true (median of %d)\n", median(starts), median(nothing),
                kStarts);

    std::ofstream(std::string(folder) + "/job") << jobText(ranks);
    std::printf("launch: %.1f ms from the job to `launched`, %d ranks\n",
                milliseconds(agent + " launch bench < " + folder + "/job >/dev/null"), ranks);
    const pid_t supervisor = findSupervisor(agent);
    if (supervisor == 0) {
        std::puts("no supervisor found");
        return 1;
    }
    ::sleep(2);
    const double before = cpuSeconds(supervisor);
    double childrenBefore = 0;
    for (const pid_t child : childrenOf(supervisor, agent))
        childrenBefore += cpuSeconds(child);
    const std::int64_t start = monotonicUs();
    ::sleep(static_cast<unsigned>(seconds));
    const double elapsed = static_cast<double>(monotonicUs() - start) * 1e-6;
    const double used = cpuSeconds(supervisor) - before;
    double children = -childrenBefore;
    long childrenKb = 0;
    for (const pid_t child : childrenOf(supervisor, agent)) {
        children += cpuSeconds(child);
        childrenKb += statusKilobytes(child, "VmRSS:");
    }
    std::printf("supervisor: %.3f %% of a core over %.0f s, RSS %.1f MB (own pages %.1f MB, highest %.1f MB)\n",
                100 * used / elapsed, elapsed, static_cast<double>(statusKilobytes(supervisor, "VmRSS:")) / 1024,
                static_cast<double>(statusKilobytes(supervisor, "RssAnon:")) / 1024,
                static_cast<double>(statusKilobytes(supervisor, "VmHWM:")) / 1024);
    std::printf("its GPU sampler: %.3f %% of a core, RSS %.1f MB\n", 100 * children / elapsed,
                static_cast<double>(childrenKb) / 1024);
    milliseconds(agent + " stop bench --grace 0 >/dev/null");
    milliseconds("rm -r '" + std::string(folder) + "'");
    return 0;
}
