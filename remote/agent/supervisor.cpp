// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/supervisor.h"

#include "remote/agent/clocks.h"
#include "remote/agent/control.h"
#include "remote/agent/noderecords.h"

#include <algorithm>
#include <csignal>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

namespace lockstep::agent {

namespace {

constexpr std::int64_t kTickUs = 1'000'000;
constexpr std::int64_t kAfterFailureUs = 5'000'000; // the other ranks' own words on their lost peer are worth having
constexpr int kFailureGraceS = 4;                   // after those 5 s: all are gone within 10 s of the failure
constexpr std::int64_t kLastWordsUs = 600'000'000;  // how long the last records wait for room on a full disk
constexpr int kLastWordsRetryMs = 200;
constexpr int kLongestTurnMs = 1000;

Outcome<Fd> openSignals()
{
    for (const int signal : {SIGPIPE, SIGHUP, SIGXFSZ})
        ::signal(signal, SIG_IGN);
    sigset_t wanted;
    sigemptyset(&wanted);
    for (const int signal : {SIGCHLD, SIGTERM, SIGINT})
        sigaddset(&wanted, signal);
    ::sigprocmask(SIG_BLOCK, &wanted, nullptr);
    Fd fd(::signalfd(-1, &wanted, SFD_NONBLOCK | SFD_CLOEXEC));
    if (!fd.isOpen())
        return failedSystemCall("listen to signals");
    return fd;
}

} // namespace

Outcome<std::unique_ptr<Supervisor>> Supervisor::prepare(Job job, std::string runFolder, RunLock lock,
                                                         const std::string& place)
{
    if (::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
        return failedSystemCall("become the parent of orphans");
    auto signals = openSignals();
    if (!signals)
        return std::unexpected(signals.error());
    auto control = openControl(runFolder);
    if (!control)
        return std::unexpected(control.error());
    auto spool = SpoolWriter::open(runFolder, job.segmentBytes);
    if (!spool)
        return std::unexpected(spool.error());
    return std::unique_ptr<Supervisor>(new Supervisor(std::move(job), std::move(runFolder), std::move(lock),
                                                      std::move(*spool), std::move(*control), std::move(*signals),
                                                      place));
}

Supervisor::Supervisor(Job job, std::string runFolder, RunLock lock, SpoolWriter spool, Fd control, Fd signals,
                       const std::string& place)
    : m_job(std::move(job)), m_runFolder(std::move(runFolder)), m_lock(std::move(lock)), m_spool(std::move(spool)),
      m_control(std::move(control)), m_signals(std::move(signals)),
      m_holdUntilUs(monotonicUs() + std::int64_t{m_job.holdS} * 1'000'000), m_firstAttempt(m_spool.isEmpty())
{
    appendHello(m_out, m_job);
    appendNodePhase(m_out, "prepared", place);
    flush();
}

void Supervisor::run()
{
    while (m_phase != Phase::Ended)
        turn();
    const std::int64_t deadline = monotonicUs() + kLastWordsUs;
    while (m_spool.isBlocked() && monotonicUs() < deadline) {
        ::poll(nullptr, 0, kLastWordsRetryMs);
        m_spool.append({}, monotonicUs());
    }
}

void Supervisor::turn()
{
    std::vector<pollfd> polled{{m_control.get(), POLLIN, 0},
                               {m_signals.get(), POLLIN, 0},
                               {m_sampler ? m_sampler->pollFd() : -1, POLLIN, 0},
                               {m_sweep ? m_sweep->pollFd() : -1, POLLIN, 0}};
    const std::size_t firstRank = polled.size();
    for (const auto& rank : m_ranks)
        rank->addTo(polled);
    ::poll(polled.data(), polled.size(), pollTimeoutMs(monotonicUs()));
    const std::int64_t nowUs = monotonicUs();

    for (std::size_t i = 0; i < m_ranks.size(); ++i)
        m_ranks[i]->readable(&polled[firstRank + i * RankProcess::kPollSlots], m_out, nowUs);
    if (polled[2].revents != 0) {
        const std::size_t before = m_out.size();
        m_sampler->readable(m_out, nowUs);
        if (m_release)
            m_release->take(std::string_view(m_out).substr(before));
    }
    if (polled[1].revents != 0)
        readSignals();
    for (const auto& rank : m_ranks)
        rank->settle(m_out, nowUs);
    if (polled[3].revents != 0) {
        if (const auto report = m_sweep->readable())
            finishSweep(report->whole ? *report : sweepHere());
    }
    if (polled[0].revents != 0)
        readControl();
    if (m_release && m_release->isSettled(nowUs))
        end();
    if (m_phase == Phase::Ended)
        return;
    checkRanks();
    checkDeadlines(nowUs);
    flush();
    startCompression();
}

int Supervisor::pollTimeoutMs(std::int64_t nowUs) const
{
    if (std::ranges::any_of(m_ranks, [](const auto& rank) { return rank->isSettling(); }))
        return 0;
    std::int64_t next = nowUs + kLongestTurnMs * 1000;
    if (m_phase == Phase::Prepared)
        next = std::min(next, m_holdUntilUs);
    if (m_nextTickUs != 0)
        next = std::min(next, m_nextTickUs);
    if (m_stopAtUs != 0)
        next = std::min(next, m_stopAtUs);
    return static_cast<int>(std::clamp<std::int64_t>((next - nowUs + 999) / 1000, 0, kLongestTurnMs));
}

void Supervisor::readControl()
{
    readTurn(m_control, [&](std::string_view bytes) {
        m_controlDecoder.feed(bytes, [&](const wire::RecordView& record) { obey(record); });
    });
}

void Supervisor::obey(const wire::RecordView& record)
{
    if (record.kind == "claim")
        m_owner = record.integer("owner").value_or(0);
    else if (record.kind == "go" && m_phase == Phase::Prepared)
        go();
    else if (record.kind == "abandon" && m_phase == Phase::Prepared && record.integer("owner").value_or(0) == m_owner)
        abandon("the launch was abandoned");
    else if (record.kind == "stop" && m_phase != Phase::Ended)
        stopAsked(record);
}

void Supervisor::readSignals()
{
    signalfd_siginfo info{};
    bool asked = false;
    while (::read(m_signals.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info))
        asked |= info.ssi_signo != SIGCHLD;
    reapChildren();
    if (asked && m_phase == Phase::Prepared)
        abandon("the supervisor was asked to end");
    else if (asked && m_phase == Phase::Running)
        beginEnding("the supervisor was asked to end by a signal", m_job.graceS);
}

// Ranks, helpers, and the orphans that a subreaper inherits.
void Supervisor::reapChildren()
{
    const std::int64_t nowUs = monotonicUs();
    int status = 0;
    for (pid_t pid = ::waitpid(-1, &status, WNOHANG); pid > 0; pid = ::waitpid(-1, &status, WNOHANG)) {
        if (pid == m_compression)
            m_compression = 0;
        if (m_sweep && pid == m_sweep->pid())
            m_sweep->reaped();
        for (const auto& rank : m_ranks) {
            if (rank->id().pid == pid && !rank->hasEnded() && !rank->isSettling()) {
                rank->reaped(status, nowUs);
                m_gone.insert(rank->id());
            }
        }
    }
}

void Supervisor::go()
{
    appendNodePhase(m_out, "starting", {});
    for (const RankJob& rank : m_job.ranks)
        m_ranks.push_back(std::make_unique<RankProcess>(m_job, rank, m_runFolder, m_out));
    RankPipes pipes;
    for (const auto& rank : m_ranks)
        rank->addTo(pipes);
    pipes.save(m_runFolder);
    m_phase = Phase::Running;
    appendNodePhase(m_out, "running", {});
    m_sampler = std::make_unique<Sampler>();
    m_nextTickUs = monotonicUs();
}

void Supervisor::checkRanks()
{
    if (m_phase != Phase::Running)
        return;
    const auto failed = std::ranges::find_if(m_ranks, [](const auto& rank) { return rank->hasFailed(); });
    if (failed != m_ranks.end() && m_stopAtUs == 0) {
        m_stopAtUs = monotonicUs() + kAfterFailureUs;
        m_reason = "rank " + std::to_string((*failed)->rank()) + ": " + (*failed)->reason();
    }
    if (std::ranges::all_of(m_ranks, [](const auto& rank) { return rank->hasEnded(); }))
        beginEnding(m_reason.empty() ? "finished" : m_reason, m_job.graceS);
}

void Supervisor::checkDeadlines(std::int64_t nowUs)
{
    if (m_phase == Phase::Prepared && nowUs >= m_holdUntilUs) {
        abandon("no go came in " + std::to_string(m_job.holdS) + " s");
        return;
    }
    if (m_phase == Phase::Running && m_stopAtUs != 0 && nowUs >= m_stopAtUs)
        beginEnding(m_reason, std::min(m_job.graceS, kFailureGraceS));
    if (m_nextTickUs != 0 && nowUs >= m_nextTickUs)
        tick(nowUs);
}

void Supervisor::tick(std::int64_t nowUs)
{
    m_nextTickUs += kTickUs;
    if (m_nextTickUs <= nowUs) // the machine slept: no burst of ticks
        m_nextTickUs = nowUs + kTickUs;
    appendClock(m_out);
    m_sampler->tick(m_out, nowUs);
    for (const auto& rank : m_ranks)
        rank->tick(m_out, nowUs);
}

void Supervisor::startCompression()
{
    if (m_compression != 0)
        return;
    if (const auto segment = m_spool.takeFinishedSegment())
        m_compression = forkCompression(m_runFolder, *segment);
}

void Supervisor::flush()
{
    if (m_out.empty())
        return;
    m_spool.append(m_out, monotonicUs());
    m_out.clear();
}

} // namespace lockstep::agent
