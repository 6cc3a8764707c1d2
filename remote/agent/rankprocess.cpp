// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/rankprocess.h"

#include "core/wire/encoder.h"
#include "core/wire/kinds.h"
#include "remote/agent/clocks.h"
#include "remote/agent/folders.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/wait.h>

namespace lockstep::agent {

namespace {

namespace kind = wire::kind;
constexpr std::int64_t kSettleUs = 500'000; // for the last words of a rank whose children go on writing

struct Started {
    SpawnedRank spawned;
    std::string refusal; // why there is none
};

Started startRank(const Job& job, const RankJob& rank, const std::string& runFolder)
{
    auto spawned = spawnRank(job, rank, runFolder);
    if (spawned)
        return {std::move(*spawned), {}};
    return {{}, spawned.error().text};
}

// How often the kernel has ended a process for want of memory since boot; 0: unknown.
std::int64_t memoryKills()
{
    constexpr std::string_view kKey = "\noom_kill ";
    const std::string text = readFile("/proc/vmstat", 64 * 1024).value_or("");
    const std::size_t at = text.find(kKey);
    return at == std::string::npos ? 0 : std::strtoll(text.c_str() + at + kKey.size(), nullptr, 10);
}

Fd openRaw(const std::string& runFolder, int rank, const char* ending)
{
    const std::string path = runFolder + "/rank-" + std::to_string(rank) + ending;
    return Fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
}

} // namespace

RankProcess::RankProcess(const Job& job, const RankJob& rank, const std::string& runFolder, std::string& spool)
    : m_rank(rank.rank), m_program(rank.argv.front()), m_out(rank.rank, kind::kOut, Fd(), Fd(), 0),
      m_err(rank.rank, kind::kErr, Fd(), Fd(), 0), m_metrics(rank.rank, Fd(), 0), m_tree(0)
{
    const std::int64_t nowUs = monotonicUs();
    m_memoryKills = memoryKills();
    Started started = startRank(job, rank, runFolder);
    if (started.spawned.pid == 0) {
        m_reason = started.refusal;
        m_code = 127;
        m_reapedUs = nowUs;
        sayExit(spool, nowUs);
        return;
    }
    m_id = {started.spawned.pid, 0};
    if (const auto process = readProcess(m_id.pid)) // a child that we have not waited for: the pid is its own
        m_id = process->id;
    m_out = OutputPipe(m_rank, kind::kOut, std::move(started.spawned.out), openRaw(runFolder, m_rank, ".out"), nowUs);
    m_err = OutputPipe(m_rank, kind::kErr, std::move(started.spawned.err), openRaw(runFolder, m_rank, ".err"), nowUs);
    m_metrics = MetricPipe(m_rank, std::move(started.spawned.metrics), nowUs);
    m_refusal = std::move(started.spawned.refusal);
    m_tree = ProcessTree(m_id.pid);
    wire::Encoder encoder(spool);
    encoder.begin(kind::kPhase, m_rank, nowUs).field("phase", "starting").field("pid", m_id.pid).end();
}

void RankProcess::addTo(std::vector<pollfd>& polled) const
{
    for (const int fd : {m_out.pollFd(), m_err.pollFd(), m_metrics.pollFd(), m_refusal.get()})
        polled.push_back({fd, POLLIN, 0});
}

void RankProcess::addTo(RankPipes& pipes) const
{
    for (const int fd : {m_out.pollFd(), m_err.pollFd(), m_metrics.pollFd()})
        pipes.add(fd);
}

void RankProcess::readable(const pollfd* slots, std::string& spool, std::int64_t nowUs)
{
    if (slots[3].revents != 0) {
        const Refusal refusal = readRefusal(m_refusal, m_program);
        if (refusal.answer == StartAnswer::Refused)
            m_reason = refusal.text;
        if (refusal.answer == StartAnswer::Running) {
            wire::Encoder encoder(spool);
            encoder.begin(kind::kPhase, m_rank, nowUs).field("phase", "running").field("pid", m_id.pid).end();
        }
        if (refusal.answer != StartAnswer::Pending)
            m_refusal.reset();
    }
    if (slots[2].revents != 0) // first: a flood on the others must not delay them
        m_metrics.read(spool, nowUs);
    if (slots[0].revents != 0)
        m_out.read(spool, nowUs);
    if (slots[1].revents != 0)
        m_err.read(spool, nowUs);
}

void RankProcess::tick(std::string& spool, std::int64_t nowUs)
{
    m_out.tick(spool, nowUs);
    m_err.tick(spool, nowUs);
    m_metrics.tick(spool, nowUs);
    if (m_reapedUs != 0)
        return;
    if (const auto use = m_tree.read(nowUs)) {
        wire::Encoder encoder(spool);
        encoder.begin(kind::kProc, m_rank, nowUs).field("pid", m_id.pid).field("rss", use->residentBytes);
        if (use->cpuPercent)
            encoder.field("cpu", *use->cpuPercent);
        encoder.end();
    }
}

void RankProcess::reaped(int status, std::int64_t nowUs)
{
    m_reapedUs = nowUs;
    if (WIFSIGNALED(status)) {
        m_signal = WTERMSIG(status);
        const char* name = ::sigabbrev_np(m_signal);
        m_reason = "killed by " + (name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(m_signal));
        if (m_signal == SIGKILL && memoryKills() > m_memoryKills)
            m_reason += "; the kernel ended a process for want of memory meanwhile";
    } else {
        m_code = WEXITSTATUS(status);
    }
}

void RankProcess::settle(std::string& spool, std::int64_t nowUs)
{
    if (!isSettling())
        return;
    if (m_refusal.isOpen()) {
        const Refusal refusal = readRefusal(m_refusal, m_program);
        if (refusal.answer == StartAnswer::Refused)
            m_reason = refusal.text;
        m_refusal.reset();
    }
    bool more = false;
    if (m_metrics.pollFd() >= 0)
        more |= m_metrics.read(spool, nowUs) == PipeState::More;
    if (m_out.pollFd() >= 0)
        more |= m_out.read(spool, nowUs) == PipeState::More;
    if (m_err.pollFd() >= 0)
        more |= m_err.read(spool, nowUs) == PipeState::More;
    if (!more || nowUs - m_reapedUs > kSettleUs)
        sayExit(spool, nowUs);
}

void RankProcess::closePipes(std::string& spool, std::int64_t nowUs)
{
    if (m_metrics.pollFd() >= 0)
        m_metrics.finish(spool, nowUs);
    if (m_out.pollFd() >= 0)
        m_out.finish(spool, nowUs);
    if (m_err.pollFd() >= 0)
        m_err.finish(spool, nowUs);
}

void RankProcess::sayExit(std::string& spool, std::int64_t nowUs)
{
    m_said = true;
    if (m_reason.empty())
        m_reason = "exit code " + std::to_string(m_code);
    wire::Encoder encoder(spool);
    encoder.begin(kind::kPhase, m_rank, nowUs).field("phase", "exited").field("pid", m_id.pid);
    if (m_signal != 0)
        encoder.field("signal", m_signal);
    else
        encoder.field("code", m_code);
    encoder.field("reason", m_reason).end();
}

} // namespace lockstep::agent
