// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/jobcheck.h"

#include "core/wire/runtag.h"
#include "remote/agent/diskroom.h"
#include "remote/agent/folders.h"
#include "remote/agent/processtable.h"
#include "remote/agent/runlock.h"
#include "remote/agent/runslist.h"
#include "remote/agent/spawn.h"
#include "remote/agent/sweep.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace lockstep::agent {

namespace {

constexpr std::uint64_t kLeastFreeBytes = 64 * 1024 * 1024; // one segment
constexpr std::size_t kNamedProcesses = 8;
constexpr char kDevicesVariable[] = "CUDA_VISIBLE_DEVICES";

Outcome<void> checkFolder(const std::string& cwd)
{
    struct stat status {};
    if (::stat(cwd.c_str(), &status) != 0)
        return failed("bad_job", "the working directory " + cwd + " can't be used: " + std::strerror(errno));
    if (!S_ISDIR(status.st_mode))
        return failed("bad_job", "the working directory " + cwd + " is not a folder");
    if (::access(cwd.c_str(), X_OK) != 0)
        return failed("bad_job", "the working directory " + cwd + " can't be entered: " + std::strerror(errno));
    return {};
}

Outcome<void> checkPrograms(const Job& job)
{
    if (!job.cwd.empty() && job.cwd[0] == '/') { // a relative one lies in what is copied later
        if (const auto checked = checkFolder(job.cwd); !checked)
            return checked;
    }
    const char* login = std::getenv("PATH");
    for (const RankJob& rank : job.ranks) {
        const std::string_view path = rank.variable("PATH");
        const std::string_view fallback = login != nullptr ? login : "";
        const auto program = findProgram(rank.argv.front(), path.empty() ? fallback : path, job.cwd);
        if (!program)
            return failed("bad_job", "rank " + std::to_string(rank.rank) + ": " + program.error().text);
    }
    return {};
}

// Tagged processes whose supervisor is gone.
Outcome<void> checkLeftovers(const std::string& runsFolder)
{
    std::map<std::string, std::vector<pid_t>> leftovers;
    for (const ProcessStat& process : ownProcesses()) {
        if (!process.isRunning())
            continue;
        const auto tag = environmentOf(process.id.pid, wire::kRunFolderVariable);
        if (!tag || !tag->starts_with(runsFolder + "/") || RunLock::holder(*tag))
            continue;
        leftovers[tag->substr(runsFolder.size() + 1)].push_back(process.id.pid);
    }
    if (leftovers.empty())
        return {};
    const auto& [run, pids] = *leftovers.begin();
    std::string text = "processes of the earlier run " + run + " are still alive on " + hostName() + ":";
    for (std::size_t i = 0; i < pids.size() && i < kNamedProcesses; ++i)
        text += " " + std::to_string(pids[i]) + " (" + commandOf(pids[i]) + ")";
    if (pids.size() > kNamedProcesses)
        text += " and " + std::to_string(pids.size() - kNamedProcesses) + " more";
    return failed("busy", text + "; stop that run first");
}

std::string sinceWords(const std::optional<pid_t>& supervisor)
{
    const auto started = supervisor ? startedWallUs(*supervisor) : std::nullopt;
    if (!started)
        return {};
    const std::time_t seconds = static_cast<std::time_t>(*started / 1'000'000);
    std::tm parts{};
    char text[32];
    ::localtime_r(&seconds, &parts);
    return std::strftime(text, sizeof text, " since %Y-%m-%d %H:%M:%S", &parts) > 0 ? text : "";
}

Outcome<void> checkDevices(const Job& job, const std::string& runsFolder)
{
    std::set<std::string> wanted;
    for (const RankJob& rank : job.ranks)
        wanted.merge(devicesOf(rank));
    if (wanted.empty() || job.devices == DeviceUse::Shared)
        return {};
    for (const std::string& name : runNames(runsFolder)) {
        const std::string folder = runsFolder + "/" + name;
        if (!RunLock::holder(folder))
            continue;
        const auto other = readJob(folder);
        if (!other)
            continue; // unreadable, but alive: its devices are unknown
        for (const RankJob& rank : other->ranks) {
            for (const std::string& device : devicesOf(rank)) {
                if (wanted.contains(device))
                    return failed("busy", "device " + device + " on " + hostName() + " is held by rank " +
                                              std::to_string(rank.rank) + " of the run " + name +
                                              sinceWords(RunLock::holder(folder)));
            }
        }
    }
    return {};
}

} // namespace

std::set<std::string> devicesOf(const RankJob& rank)
{
    std::set<std::string> devices;
    std::string_view rest = rank.variable(kDevicesVariable);
    while (!rest.empty()) {
        const std::string_view device = rest.substr(0, rest.find(','));
        if (!device.empty() && device != "-1")
            devices.emplace(device);
        rest.remove_prefix(std::min(device.size() + 1, rest.size()));
    }
    return devices;
}

Outcome<void> checkJob(const Job& job, const std::string& runsFolder)
{
    for (const auto& checked : {checkPrograms(job), needRoom(runsFolder, kLeastFreeBytes, " for the run's records"),
                                checkLeftovers(runsFolder), checkDevices(job, runsFolder)}) {
        if (!checked)
            return checked;
    }
    return {};
}

} // namespace lockstep::agent
