// SPDX-License-Identifier: GPL-3.0-or-later
// The parent's side of the process that reads GPUs: start it, hear it, end it when it falls silent, start it again
// later.
#pragma once

#include "remote/agent/fd.h"

#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

namespace lockstep::agent {

struct GpuProcessOptions {
    std::string program = "/proc/self/exe";
    std::vector<std::string> arguments = {"gpu-samples"};
};

class GpuProcess {
public:
    explicit GpuProcess(GpuProcessOptions options) : m_options(std::move(options)) {}
    ~GpuProcess(); // kills the child; waits for it only as long as a healthy one needs
    GpuProcess(const GpuProcess&) = delete;
    GpuProcess& operator=(const GpuProcess&) = delete;

    [[nodiscard]] int pollFd() const { return m_pipe.get(); }
    [[nodiscard]] pid_t pid() const { return m_pid; } // 0: there is none
    void readable(std::string& out, std::int64_t nowUs);
    void tick(std::string& out, std::int64_t nowUs);

private:
    enum class State {
        Waiting, // for m_nextStartUs
        Running,
        Ending, // or killed; a process stuck in the driver may not go
        Done,   // it said that there is no GPU: it is not asked again
    };

    void start(std::string& out, std::int64_t nowUs);
    void takeLines(std::string& out);
    void checkSilence(std::string& out, std::int64_t nowUs);
    void finish(std::string& out, std::int64_t nowUs);
    void fail(std::string& out, std::int64_t nowUs, const std::string& why);
    void scheduleRetry(std::int64_t nowUs);
    void expectEnd(std::int64_t nowUs);
    void kill();
    bool reap();

    GpuProcessOptions m_options;
    State m_state = State::Waiting;
    pid_t m_pid = 0;
    Fd m_pipe;
    Fd m_pidFd; // so that a signal cannot reach a stranger with the same number
    std::string m_partial;
    std::string m_ending; // how the last one ended, in words; empty: unknown
    bool m_spoke = false;
    bool m_saidWhy = false;  // its last record said what is wrong
    bool m_saidNone = false; // its last record said that there is nothing to read
    bool m_saidStuck = false;
    std::size_t m_failures = 0;
    std::int64_t m_startedUs = 0;
    std::int64_t m_heardUs = 0;
    std::int64_t m_endingUs = 0;
    std::int64_t m_tickUs = 0;
    std::int64_t m_nextStartUs = 0;
};

} // namespace lockstep::agent
