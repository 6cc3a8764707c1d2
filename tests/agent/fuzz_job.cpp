// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever the bytes of a job file: a refusal with a sentence, or a job that execve can be given.
#include "remote/agent/folders.h"
#include "remote/agent/job.h"

#include <cstdint>
#include <cstdlib>
#include <set>

using namespace lockstep::agent;

namespace {

void require(bool condition)
{
    if (!condition)
        std::abort();
}

void checkStrings(const std::vector<std::string>& strings)
{
    for (const std::string& one : strings)
        require(one.size() <= kMaxStringBytes && one.find('\0') == std::string::npos);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto job = parseJob({reinterpret_cast<const char*>(data), size});
    if (!job) {
        require(!job.error().code.empty() && !job.error().text.empty());
        return 0;
    }
    require(isRunId(job->run) && job->run.find('/') == std::string::npos);
    require(job->cwd.empty() || job->cwd[0] == '/');
    require(job->attempt >= 1 && job->graceS >= 0 && job->holdS >= 1);
    require(job->segmentBytes >= 1024 && job->segmentBytes <= kSegmentBytes);
    require(!job->ranks.empty() && job->ranks.size() <= kMaxRanks);
    std::set<int> ranks;
    for (const RankJob& rank : job->ranks) {
        require(rank.rank >= 0 && ranks.insert(rank.rank).second);
        require(!rank.argv.empty());
        checkStrings(rank.argv);
        checkStrings(rank.env);
        for (const std::string& variable : rank.env)
            require(variable.find('=') != std::string::npos && variable[0] != '=');
    }
    return 0;
}
