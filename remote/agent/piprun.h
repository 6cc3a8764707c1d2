// SPDX-License-Identifier: GPL-3.0-or-later
// One run of the node's pip, which fetches the packages of a torch into a folder; its end comes with the end of stdin.
#pragma once

#include "remote/agent/fd.h"
#include "remote/agent/outcome.h"

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace lockstep::agent {

struct WantedTorch {
    std::string version, python = "3.12"; // whose wheels, whatever Python runs pip: their libraries are the same
    std::uint64_t bytes = 0;              // about, unpacked
    std::vector<std::string> packages;
};

class PipRun {
public:
    // Into target/site, with target/tmp for what pip keeps meanwhile.
    PipRun(const WantedTorch& wanted, std::string target, int in, int out);
    ~PipRun(); // pip ends with it
    PipRun(const PipRun&) = delete;
    PipRun& operator=(const PipRun&) = delete;

    [[nodiscard]] Outcome<void> run(); // to its end, with `progress` records

private:
    [[nodiscard]] Outcome<void> start(const std::string& python);
    [[nodiscard]] std::optional<Outcome<void>> step();
    [[nodiscard]] bool sayProgress(std::uint64_t bytes) const;
    [[nodiscard]] std::string words() const;

    const WantedTorch& m_wanted;
    std::string m_target;
    int m_in, m_out;
    pid_t m_pid = 0;
    Fd m_words;
    std::string m_said;
};

} // namespace lockstep::agent
