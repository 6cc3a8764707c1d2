// SPDX-License-Identifier: GPL-3.0-or-later
// What a launch starts on this node, as it came (README.md, "A launch").
#pragma once

#include "core/wire/record.h"
#include "remote/agent/outcome.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::agent {

inline constexpr std::size_t kMaxJobBytes = 32 * 1024 * 1024;
inline constexpr std::size_t kMaxRanks = 240; // four descriptors each, of the usual 1024
// Linux's MAX_ARG_STRLEN with its NUL: execve takes no longer argument or variable.
inline constexpr std::size_t kMaxStringBytes = 128 * 1024 - 1;
inline constexpr std::uint64_t kSegmentBytes = 64 * 1024 * 1024;

struct RankJob {
    int rank = 0;
    int local = 0;
    std::string cpus; // 0-3,8-11: the CPUs that it may use; empty: all that the supervisor may
    std::vector<std::string> argv;
    std::vector<std::string> env; // NAME=VALUE

    bool operator==(const RankJob&) const = default;
    [[nodiscard]] std::string_view variable(std::string_view name) const; // empty: not there
};

enum class DeviceUse { Alone, Shared };

struct Job {
    std::string run;
    int attempt = 1;
    std::string node;
    std::string cwd;   // empty: the run's folder, or the copy of `files`; relative: inside that copy
    std::string files; // a bundle's folder whose copy the ranks work in; empty: none
    int graceS = 10;
    int holdS = 60;
    std::uint64_t segmentBytes = kSegmentBytes;
    DeviceUse devices = DeviceUse::Alone; // Shared: the user wants devices that another run holds
    std::vector<RankJob> ranks;

    bool operator==(const Job&) const = default;
};

// Takes the records of a job one after the other.
class JobReader {
public:
    enum class State { More, Complete };

    [[nodiscard]] Outcome<State> take(const wire::RecordView& record);
    [[nodiscard]] const Job& job() const { return m_job; }

private:
    [[nodiscard]] Outcome<void> takeJob(const wire::RecordView& record);
    [[nodiscard]] Outcome<void> takeRank(const wire::RecordView& record);
    [[nodiscard]] Outcome<void> takeArgument(const wire::RecordView& record);
    [[nodiscard]] Outcome<void> takeVariable(const wire::RecordView& record);
    [[nodiscard]] Outcome<State> complete() const;

    Job m_job;
    bool m_named = false; // the `job` record was there
};

[[nodiscard]] Outcome<Job> parseJob(std::string_view text);

} // namespace lockstep::agent
