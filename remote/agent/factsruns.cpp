// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/factsruns.h"

#include "remote/agent/folders.h"
#include "remote/agent/jobcheck.h"
#include "remote/agent/processtable.h"
#include "remote/agent/runlock.h"
#include "remote/agent/runslist.h"

namespace lockstep::agent {

namespace {

constexpr int kMaxRuns = 32;

} // namespace

void appendRuns(wire::Encoder& record)
{
    const auto folder = runsFolder();
    int told = 0;
    for (const std::string& name : folder ? runNames(*folder) : std::vector<std::string>{}) {
        const auto holder = RunLock::holder(*folder + '/' + name);
        if (!holder || told == kMaxRuns)
            continue;
        const std::string key = "run/" + std::to_string(told++) + '/';
        record.field(key + "name", name);
        if (const auto started = startedWallUs(*holder))
            record.field(key + "since_us", *started);
        const auto job = readJob(*folder + '/' + name);
        if (!job)
            continue; // alive, but unreadable: what it holds is not known
        record.field(key + "ranks", job->ranks.size());
        std::set<std::string> devices;
        for (const RankJob& rank : job->ranks)
            devices.merge(devicesOf(rank));
        std::string text;
        for (const std::string& device : devices)
            text += (text.empty() ? "" : ",") + device;
        record.field(key + "devices", text.substr(0, 2048));
    }
}

} // namespace lockstep::agent
