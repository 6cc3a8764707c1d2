// SPDX-License-Identifier: GPL-3.0-or-later
// A run whose supervisor stands and waits for `go`, as the launch verb sees it: by the run's lock and its spool.
#pragma once

#include "core/wire/decoder.h"
#include "remote/agent/job.h"
#include "remote/agent/outcome.h"
#include "remote/agent/spoolreader.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace lockstep::agent {

struct JobText {
    std::string text; // the records as they came
    Job job;
};

class PreparedRun {
public:
    // Checks the job, writes it down and starts its supervisor; or finds the run that the same job has started before.
    [[nodiscard]] static Outcome<PreparedRun> prepare(const JobText& job);

    [[nodiscard]] bool isLaunched() const { return m_launched; } // by an earlier launch of the same job
    [[nodiscard]] const std::string& folder() const { return m_folder; }
    [[nodiscard]] pid_t supervisor() const { return m_supervisor; } // 0: ended

    // Until the spool says one of the phases. Failure: the supervisor is gone, or the deadline passed.
    [[nodiscard]] Outcome<void> waitForPhase(std::initializer_list<std::string_view> phases, std::int64_t deadlineUs);
    void waitForEnd(std::int64_t deadlineUs) const; // of the supervisor

private:
    explicit PreparedRun(std::string folder) : m_folder(std::move(folder)), m_reader(m_folder) {}
    [[nodiscard]] Outcome<void> start(const JobText& job, const std::string& runsFolder);
    [[nodiscard]] Outcome<void> joinEarlier(const JobText& job, const std::string& runsFolder);
    void readPhases();

    std::string m_folder;
    pid_t m_supervisor = 0;
    bool m_launched = false;
    SpoolReader m_reader;
    wire::Decoder m_decoder;
    std::string m_phase; // the last one of this attempt, empty: none yet
};

} // namespace lockstep::agent
