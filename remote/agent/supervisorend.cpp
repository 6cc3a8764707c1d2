// SPDX-License-Identifier: GPL-3.0-or-later
// Supervisor: how a run comes to its end here, and the proof.
#include "remote/agent/clocks.h"
#include "remote/agent/control.h"
#include "remote/agent/jobcheck.h"
#include "remote/agent/noderecords.h"
#include "remote/agent/supervisor.h"

#include <algorithm>
#include <filesystem>
#include <unistd.h>

namespace lockstep::agent {

namespace {

constexpr int kMostGraceS = 24 * 3600;

} // namespace

void Supervisor::stopAsked(const wire::RecordView& record)
{
    const auto graceS =
        static_cast<int>(std::clamp<std::int64_t>(record.integer("grace").value_or(m_job.graceS), 0, kMostGraceS));
    const bool byPerson = record.integer("asked") == 1;
    if (byPerson)
        m_askedGraceS = graceS;
    if (m_phase == Phase::Prepared)
        abandon("stopped before the start");
    else
        beginEnding(byPerson ? kStoppedOnRequest : kFailedElsewhere, graceS);
}

// Nothing was started: nothing stays, except the spool of earlier attempts.
void Supervisor::abandon(const std::string& reason)
{
    m_phase = Phase::Ended;
    if (m_firstAttempt) {
        // Aside at one stroke: a `stop` that looks meanwhile makes no file in what is being removed.
        const std::filesystem::path folder(m_runFolder);
        const auto aside = folder.parent_path() / ("." + folder.filename().string() + ".removed");
        std::error_code failed; // what can't be removed is seen by `list`
        std::filesystem::rename(folder, aside, failed);
        std::filesystem::remove_all(failed ? folder : aside, failed);
        return;
    }
    Proof proof;
    proof.reason = reason;
    proof.askedGraceS = m_askedGraceS;
    appendEnded(m_out, proof);
    flush();
}

void Supervisor::beginEnding(const std::string& reason, int graceS)
{
    if (m_phase == Phase::Stopping && graceS >= m_sweepGraceS)
        return; // it is under way; only a shorter patience is news
    if (m_phase != Phase::Stopping) {
        m_reason = reason;
        if (!std::ranges::all_of(m_ranks, [](const auto& rank) { return rank->hasEnded(); }))
            appendStopping(m_out, reason, m_askedGraceS);
    }
    m_phase = Phase::Stopping;
    m_stopAtUs = 0;
    m_sweepGraceS = graceS;
    m_release.reset();
    m_sweep = std::make_unique<SweepProcess>(SweepTarget{m_runFolder, ::getpid(), {}}, std::chrono::seconds(graceS));
}

// The helper was killed, or a fork bomb left no process for it. Then what must end comes before the 20 ms.
SweepProcess::Report Supervisor::sweepHere()
{
    SweepResult result = sweep(SweepTarget{m_runFolder, ::getpid(), {}}, std::chrono::milliseconds(0));
    return {true, std::move(result.gone), std::move(result.left)};
}

void Supervisor::finishSweep(const SweepProcess::Report& report)
{
    m_gone.insert(report.gone.begin(), report.gone.end());
    m_left = report.left;
    reapChildren();
    const std::int64_t nowUs = monotonicUs();
    for (const auto& rank : m_ranks) {
        rank->settle(m_out, nowUs);
        rank->closePipes(m_out, nowUs);
    }
    std::set<std::string> devices;
    for (const RankJob& rank : m_job.ranks)
        devices.merge(devicesOf(rank));
    m_sweep.reset();
    if (!m_sampler || devices.empty()) {
        end();
        return;
    }
    std::set<pid_t> gone;
    for (const ProcessId& process : m_gone)
        gone.insert(process.pid);
    m_release.emplace(std::move(devices), std::move(gone), nowUs);
}

void Supervisor::end()
{
    Proof proof;
    proof.reason = m_reason;
    proof.gone = m_gone.size();
    proof.left = m_left;
    if (m_release) {
        proof.gpusFree = m_release->freed();
        proof.gpusHeld = m_release->held();
    }
    proof.askedGraceS = m_askedGraceS;
    m_sampler.reset();
    m_phase = Phase::Ended;
    appendEnded(m_out, proof);
    flush();
    if (m_left.empty())
        RankPipes::remove(m_runFolder);
}

} // namespace lockstep::agent
