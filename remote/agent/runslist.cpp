// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/runslist.h"

#include "remote/agent/folders.h"

#include <algorithm>
#include <filesystem>
#include <unistd.h>

namespace lockstep::agent {

std::vector<std::string> runNames(const std::string& runsFolder)
{
    std::vector<std::string> names;
    std::error_code failed; // no folder: no runs
    for (auto entry = std::filesystem::directory_iterator(runsFolder, failed);
         !failed && entry != std::filesystem::directory_iterator(); entry.increment(failed)) {
        const std::string name = entry->path().filename();
        if (isRunId(name) && ::access(jobPath(runsFolder + "/" + name).c_str(), F_OK) == 0)
            names.push_back(name);
    }
    std::ranges::sort(names);
    return names;
}

Outcome<std::string> findRun(const std::string& run)
{
    const auto runs = runsFolder();
    if (!runs)
        return std::unexpected(runs.error());
    std::string folder = *runs + "/" + run;
    if (!isRunId(run) || ::access(jobPath(folder).c_str(), F_OK) != 0)
        return failed("not_found", "there is no run " + run + " on " + hostName());
    return folder;
}

Outcome<std::string> readJobText(const std::string& runFolder)
{
    return readFile(jobPath(runFolder), kMaxJobBytes);
}

Outcome<Job> readJob(const std::string& runFolder)
{
    const auto text = readJobText(runFolder);
    if (!text)
        return std::unexpected(text.error());
    return parseJob(*text);
}

std::string jobPath(const std::string& runFolder)
{
    return runFolder + "/job";
}

} // namespace lockstep::agent
