// SPDX-License-Identifier: GPL-3.0-or-later
// A child of the supervisor that does what would take too long in its loop: compress a segment, end a run's processes.
#pragma once

#include "remote/agent/fd.h"
#include "remote/agent/sweep.h"

#include <chrono>
#include <optional>
#include <string>
#include <sys/types.h>

namespace lockstep::agent {

// Compresses in the background at low priority. It may outlive the supervisor and then ends by itself.
[[nodiscard]] pid_t forkCompression(const std::string& runFolder, int segment); // 0: no process to be had, try later

// A sweep in a child; its result comes through a pipe.
class SweepProcess {
public:
    SweepProcess(const SweepTarget& target, std::chrono::milliseconds grace);
    ~SweepProcess(); // a sweep that is given up is ended
    SweepProcess(const SweepProcess&) = delete;
    SweepProcess& operator=(const SweepProcess&) = delete;

    [[nodiscard]] int pollFd() const { return m_pipe.get(); }
    [[nodiscard]] pid_t pid() const { return m_pid; }
    void reaped() { m_pid = 0; }
    struct Report {
        bool whole = false; // false: the child was killed, or there was no process for it
        std::vector<ProcessId> gone;
        std::vector<ProcessId> left;
    };
    [[nodiscard]] std::optional<Report> readable(); // nullopt: not finished yet

private:
    pid_t m_pid = 0;
    Fd m_pipe;
    std::string m_text;
};

} // namespace lockstep::agent
