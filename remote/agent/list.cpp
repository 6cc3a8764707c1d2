// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/list.h"

#include "core/wire/encoder.h"
#include "core/wire/runtag.h"
#include "remote/agent/answer.h"
#include "remote/agent/clocks.h"
#include "remote/agent/folders.h"
#include "remote/agent/runslist.h"
#include "remote/agent/spoolreader.h"
#include "remote/agent/spooltail.h"
#include "remote/agent/sweep.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace lockstep::agent {

namespace {

// How many of this user's processes carry each run's tag: one look for all runs, of which there may be hundreds.
std::map<std::string, std::size_t> countTagged()
{
    std::map<std::string, std::size_t> counts;
    for (const ProcessStat& process : ownProcesses()) {
        if (!process.isRunning())
            continue;
        if (const auto folder = environmentOf(process.id.pid, wire::kRunFolderVariable))
            ++counts[*folder];
    }
    return counts;
}

bool sayRun(int out, const std::string& folder, const Job& job, const std::map<std::string, std::size_t>& tagged)
{
    const RunStatus status = runStatus(folder);
    const auto found = tagged.find(folder);
    const std::size_t left = status.supervisor > 0 ? findProcesses({folder, status.supervisor, {}}).size()
                             : status.standing == RunStanding::Lost ? findProcesses(withoutSupervisor(folder)).size()
                             : found == tagged.end()                ? 0
                                                                    : found->second;
    std::string record;
    wire::Encoder encoder(record);
    encoder.begin("run", wire::kNode, monotonicUs())
        .field("run", folder.substr(folder.rfind('/') + 1))
        .field("attempt", job.attempt)
        .field("node", job.node)
        .field("phase", toString(status.standing))
        .field("pid", status.supervisor)
        .field("spool_bytes", SpoolReader(folder).size())
        .field("left", left)
        .end();
    return writeAll(out, record);
}

} // namespace

int runList(int out)
{
    const auto runs = runsFolder();
    if (!runs)
        return answerFailure(out, runs.error());
    const auto tagged = countTagged();
    for (const std::string& name : runNames(*runs)) {
        const std::string folder = *runs + "/" + name;
        if (!sayRun(out, folder, readJob(folder).value_or(Job{}), tagged))
            break;
    }
    return 0;
}

int runAbout(const std::string& run, int out)
{
    const auto folder = findRun(run);
    if (!folder)
        return answerFailure(out, folder.error());
    const auto text = readJobText(*folder);
    if (!text)
        return answerFailure(out, text.error());
    std::string papers;
    std::string_view rest = *text;
    while (!rest.empty()) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        if (line.starts_with("job ") || line.starts_with("paper "))
            papers.append(line).append("\n");
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    }
    if (writeAll(out, papers))
        sayRun(out, *folder, parseJob(*text).value_or(Job{}), countTagged());
    return 0;
}

} // namespace lockstep::agent
