// SPDX-License-Identifier: GPL-3.0-or-later
// GPUs through one nvidia-smi that goes round by itself: for nodes whose NVML library is not where a program finds it.
#include "remote/agent/fd.h"
#include "remote/agent/gpusmicsv.h"
#include "remote/agent/gpusource.h"
#include "remote/agent/procfile.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lockstep::agent {

namespace {

constexpr const char* kProgram = "nvidia-smi";
constexpr int kQuietMs = 100;          // a round's lines come together
constexpr std::size_t kMaxLine = 8192; // nothing that it prints is longer

// Each but the last may hold a column that some version does not know.
constexpr std::array kQueries = {
    "--query-gpu=index,uuid,name,driver_version,utilization.gpu,memory.used,memory.total,power.draw,enforced.power."
    "limit,"
    "temperature.gpu,clocks.sm,clocks.mem,clocks_throttle_reasons.active,ecc.errors.uncorrected.volatile.total,mig."
    "mode.current",
    "--query-gpu=index,uuid,name,driver_version,utilization.gpu,memory.used,memory.total,power.draw,power.limit,"
    "temperature.gpu,"
    "clocks.sm,clocks.mem",
};

bool isOnPath(const std::string& program)
{
    const char* path = std::getenv("PATH");
    std::string_view rest = path != nullptr ? path : "/usr/bin:/bin";
    while (true) {
        const std::size_t colon = rest.find(':');
        const std::string file = std::string(rest.substr(0, colon)) + '/' + program;
        if (file.front() == '/' && ::access(file.c_str(), X_OK) == 0)
            return true;
        if (colon == std::string_view::npos)
            return false;
        rest.remove_prefix(colon + 1);
    }
}

class SmiGpus final : public GpuSource {
public:
    explicit SmiGpus(GpuRoots roots) : m_roots(std::move(roots)) { start(); }
    ~SmiGpus() override { stop(); }
    SmiGpus(const SmiGpus&) = delete;
    SmiGpus& operator=(const SmiGpus&) = delete;

    GpuRound read() override
    {
        GpuRound round;
        int waitMs = -1; // whoever runs this process has a deadline for it
        while (round.error.empty()) {
            pollfd waiting{m_pipe.get(), POLLIN, 0};
            const int ready = ::poll(&waiting, 1, waitMs);
            if (ready < 0 && errno == EINTR)
                continue;
            if (ready == 0)
                break;
            readSome(round);
            if (!round.readings.empty())
                waitMs = kQuietMs;
        }
        return round;
    }
    GpuDriver driver() const override { return {m_table.driver(), {}}; }

private:
    void start()
    {
        int ends[2] = {-1, -1};
        if (::pipe2(ends, O_CLOEXEC) != 0)
            return;
        m_pipe = Fd(ends[0]);
        const Fd writeEnd(ends[1]);
        m_pid = ::fork();
        if (m_pid == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL); // it would go round for ever in a driver that stopped answering
            ::signal(SIGPIPE, SIG_DFL);
            ::dup2(ends[1], STDOUT_FILENO);
            ::dup2(ends[1], STDERR_FILENO);
            ::execlp(kProgram, kProgram, kQueries[m_query], "--format=csv", "-l", "1", static_cast<char*>(nullptr));
            ::_exit(127);
        }
    }

    void stop()
    {
        m_pipe.reset();
        if (m_pid <= 0)
            return;
        ::kill(m_pid, SIGKILL);
        while (::waitpid(m_pid, nullptr, 0) < 0 && errno == EINTR) {
        }
        m_pid = -1;
    }

    void readSome(GpuRound& round)
    {
        std::array<char, 4096> buffer{};
        const ssize_t got = ::read(m_pipe.get(), buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR)
            return;
        if (got <= 0) {
            stop();
            round.error = "nvidia-smi ended: " + (m_lastText.empty() ? "it said nothing" : m_lastText) +
                          " Run `nvidia-smi` on the node to see more.";
            return;
        }
        m_partial.append(buffer.data(), static_cast<std::size_t>(got));
        std::size_t end = 0;
        while ((end = m_partial.find('\n')) != std::string::npos) {
            const std::string line = m_partial.substr(0, end);
            m_partial.erase(0, end + 1);
            if (!takeLine(line, round))
                return;
        }
        if (m_partial.size() > kMaxLine)
            m_partial.clear();
    }

    // false: nvidia-smi was started anew, what it said before is void
    bool takeLine(const std::string& line, GpuRound& round)
    {
        SmiTable::Parsed parsed = m_table.parse(line);
        switch (parsed.kind) {
        case SmiTable::Line::BadField:
            if (m_query + 1 < kQueries.size()) {
                stop();
                m_partial.clear();
                ++m_query;
                start();
                return false;
            }
            [[fallthrough]];
        case SmiTable::Line::Text:
            if (!trimmed(line).empty())
                m_lastText = trimmed(line);
            break;
        case SmiTable::Line::Heading:
            break;
        case SmiTable::Line::Row:
            if (!parsed.ownMemory)
                useUnifiedMemory(parsed.reading, m_roots.proc);
            // A reader that was late finds two rounds: the newer one counts.
            std::erase_if(round.readings, [&](const GpuReading& old) { return old.index == parsed.reading.index; });
            round.readings.push_back(std::move(parsed.reading));
            break;
        }
        return true;
    }

    GpuRoots m_roots;
    SmiTable m_table;
    Fd m_pipe;
    pid_t m_pid = -1;
    std::size_t m_query = 0;
    std::string m_partial;
    std::string m_lastText;
};

} // namespace

GpuSearch findSmiGpus(const GpuRoots& roots)
{
    GpuSearch search;
    if (isOnPath(kProgram))
        search.source = std::make_unique<SmiGpus>(roots);
    else
        search.note = kNoNvml;
    return search;
}

} // namespace lockstep::agent
