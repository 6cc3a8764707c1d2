// SPDX-License-Identifier: GPL-3.0-or-later
// Processes as /proc shows them. A pid alone names nobody, for it is used again: a process is its pid and its start
// time.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace lockstep::agent {

struct ProcessId {
    pid_t pid = 0;
    std::uint64_t startTicks = 0; // after boot

    auto operator<=>(const ProcessId&) const = default;
};

struct ProcessStat {
    ProcessId id;
    pid_t parent = 0;
    pid_t group = 0;
    char state = '?';
    std::uint64_t cpuTicks = 0;
    std::int64_t residentPages = 0;

    [[nodiscard]] bool isRunning() const { return state != 'Z' && state != 'X'; } // a zombie holds nothing
};

[[nodiscard]] std::optional<ProcessStat> readProcess(pid_t pid);
[[nodiscard]] bool isRunning(const ProcessId& id);
[[nodiscard]] std::optional<std::int64_t> startedWallUs(pid_t pid); // by this machine's wall clock
[[nodiscard]] std::vector<ProcessStat> ownProcesses();              // of our user, zombies too

// The value of an environment variable as the process was started with; nullopt: not there, or not ours to read.
[[nodiscard]] std::optional<std::string> environmentOf(pid_t pid, std::string_view name);
[[nodiscard]] bool hasEnvironment(pid_t pid, std::string_view nameAndValue);
[[nodiscard]] std::string programOf(pid_t pid); // path of its executable, empty: unknown
[[nodiscard]] std::string commandOf(pid_t pid); // its short name

enum class SignalResult { Sent, Gone, Refused };
// Never reaches another process that has got the same pid.
SignalResult sendSignal(const ProcessId& id, int signal);

} // namespace lockstep::agent
