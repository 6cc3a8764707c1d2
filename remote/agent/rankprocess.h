// SPDX-License-Identifier: GPL-3.0-or-later
// One rank under the supervisor: its process, its pipes, and what the spool says of it.
#pragma once

#include "remote/agent/job.h"
#include "remote/agent/metricpipe.h"
#include "remote/agent/outputpipe.h"
#include "remote/agent/proctree.h"
#include "remote/agent/rankpipes.h"
#include "remote/agent/spawn.h"

#include <poll.h>
#include <vector>

namespace lockstep::agent {

class RankProcess {
public:
    static constexpr std::size_t kPollSlots = 4;

    // Starts it and says so; a rank that can't be started is one that has ended.
    RankProcess(const Job& job, const RankJob& rank, const std::string& runFolder, std::string& spool);

    void addTo(std::vector<pollfd>& polled) const; // kPollSlots entries, -1 for what has ended
    void addTo(RankPipes& pipes) const;
    void readable(const pollfd* slots, std::string& spool, std::int64_t nowUs);
    void tick(std::string& spool, std::int64_t nowUs);

    // The process was reaped: the exit is said by settle(), after the rank's last words.
    void reaped(int status, std::int64_t nowUs);
    void settle(std::string& spool, std::int64_t nowUs);
    void closePipes(std::string& spool, std::int64_t nowUs);

    [[nodiscard]] int rank() const { return m_rank; }
    [[nodiscard]] const ProcessId& id() const { return m_id; }
    [[nodiscard]] bool hasEnded() const { return m_said; }
    [[nodiscard]] bool isSettling() const { return m_reapedUs != 0 && !m_said; }
    [[nodiscard]] bool hasFailed() const { return m_said && (m_code != 0 || m_signal != 0); }
    [[nodiscard]] const std::string& reason() const { return m_reason; } // "exit code 3", "killed by SIGKILL"

private:
    void sayExit(std::string& spool, std::int64_t nowUs);

    int m_rank;
    std::string m_program;
    ProcessId m_id;
    OutputPipe m_out;
    OutputPipe m_err;
    MetricPipe m_metrics;
    Fd m_refusal;
    ProcessTree m_tree;
    std::int64_t m_memoryKills = 0; // of the whole machine, when the rank was started
    std::string m_reason;
    int m_code = 0;
    int m_signal = 0;
    std::int64_t m_reapedUs = 0;
    bool m_said = false;
};

} // namespace lockstep::agent
