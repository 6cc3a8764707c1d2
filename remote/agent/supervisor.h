// SPDX-License-Identifier: GPL-3.0-or-later
// Owns a run on this node from `prepared` to the last record: one poll loop, no thread, no network. Nothing in the loop
// takes longer than 20 ms; what would is done by a child (helper.h).
#pragma once

#include "remote/agent/gpurelease.h"
#include "remote/agent/helper.h"
#include "remote/agent/job.h"
#include "remote/agent/rankprocess.h"
#include "remote/agent/runlock.h"
#include "remote/agent/sampler.h"
#include "remote/agent/spoolwriter.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lockstep::agent {

class Supervisor {
public:
    // In a process of its own that holds `lock` and has no terminal. Changes signal handling of the whole process.
    [[nodiscard]] static Outcome<std::unique_ptr<Supervisor>> prepare(Job job, std::string runFolder, RunLock lock,
                                                                      const std::string& place); // where, in words

    void run(); // until the last record

private:
    enum class Phase { Prepared, Running, Stopping, Ended };

    Supervisor(Job job, std::string runFolder, RunLock lock, SpoolWriter spool, Fd control, Fd signals,
               const std::string& place);

    void turn();
    [[nodiscard]] int pollTimeoutMs(std::int64_t nowUs) const;
    void readControl();
    void obey(const wire::RecordView& record);
    void readSignals();
    void reapChildren();
    void go();
    void abandon(const std::string& reason);
    void checkDeadlines(std::int64_t nowUs);
    void checkRanks();
    void tick(std::int64_t nowUs);
    void stopAsked(const wire::RecordView& record);
    void beginEnding(const std::string& reason, int graceS);
    [[nodiscard]] SweepProcess::Report sweepHere();
    void finishSweep(const SweepProcess::Report& report);
    void end();
    void startCompression();
    void flush();

    Job m_job;
    std::string m_runFolder;
    RunLock m_lock;
    SpoolWriter m_spool;
    Fd m_control;
    Fd m_signals;
    wire::Decoder m_controlDecoder;
    std::string m_out; // records of this turn
    Phase m_phase = Phase::Prepared;
    std::int64_t m_holdUntilUs;
    std::int64_t m_stopAtUs = 0; // after a rank's failure; 0: none failed
    std::int64_t m_nextTickUs = 0;
    std::int64_t m_owner = 0; // pid of the launch that may abandon
    std::vector<std::unique_ptr<RankProcess>> m_ranks;
    std::unique_ptr<Sampler> m_sampler;
    std::unique_ptr<SweepProcess> m_sweep;
    int m_sweepGraceS = 0;
    std::set<ProcessId> m_gone;
    std::vector<ProcessId> m_left;       // of the last sweep
    std::optional<GpuRelease> m_release; // all are gone; their GPUs are looked at
    std::string m_reason;                // how the run ended here
    std::optional<int> m_askedGraceS;    // a person asked for the end
    pid_t m_compression = 0;
    bool m_firstAttempt; // the spool was empty
};

} // namespace lockstep::agent
