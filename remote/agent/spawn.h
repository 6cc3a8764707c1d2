// SPDX-License-Identifier: GPL-3.0-or-later
// Starts one rank by execve: its own process group, stdin /dev/null, descriptors 1, 2 and 3 pipes to the supervisor,
// and exactly the job's arguments and environment.
#pragma once

#include "remote/agent/fd.h"
#include "remote/agent/job.h"
#include "remote/agent/outcome.h"

#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace lockstep::agent {

struct SpawnedRank {
    pid_t pid = 0;
    Fd out;
    Fd err;
    Fd metrics;
    Fd refusal; // ends when the program runs; else says why it does not (readRefusal)
};

// The rank's environment: the job's, the tag, and HOME USER LOGNAME PATH LANG where the job has none.
[[nodiscard]] std::vector<std::string> rankEnvironment(const Job& job, const RankJob& rank,
                                                       const std::string& runFolder);

// A name without a slash is looked for in the rank's PATH, as execvp would. Failure: no such program, not executable.
[[nodiscard]] Outcome<std::string> findProgram(const std::string& name, std::string_view path, const std::string& cwd);

[[nodiscard]] Outcome<SpawnedRank> spawnRank(const Job& job, const RankJob& rank, const std::string& runFolder);

enum class StartAnswer { Pending, Running, Refused };
struct Refusal {
    StartAnswer answer = StartAnswer::Pending;
    std::string text; // when refused: "can't start /x/y: No such file or directory"
};
[[nodiscard]] Refusal readRefusal(const Fd& refusal, const std::string& program);

} // namespace lockstep::agent
