// SPDX-License-Identifier: GPL-3.0-or-later
// Why a trainer ends: its exit codes, and the exception that carries one with a sentence for people. Exceptions stay
// inside trainer/; main catches once, prints one line and ends the process at once, because a rank that lingers hangs
// its peers.
#pragma once

#include <stdexcept>
#include <string>

namespace lockstep::trainer {

// Part of the interface: documented in --help, tested, never changed silently.
enum class ExitCode : int {
    Ok = 0,
    Unexpected = 1,
    Options = 2,
    Device = 3,
    Data = 4,
    Checkpoint = 5,
    Rendezvous = 6,
    LostPeer = 7,
    NanLoss = 8,
    OutOfMemory = 9,
    Mismatch = 10,
    Output = 11,
    Terminated = 143, // SIGTERM, as a shell reports it
};

[[nodiscard]] const char* meaning(ExitCode code);

class Failure : public std::runtime_error {
public:
    Failure(ExitCode code, const std::string& sentence) : std::runtime_error(sentence), m_code(code) {}

    [[nodiscard]] ExitCode code() const { return m_code; }

private:
    ExitCode m_code;
};

} // namespace lockstep::trainer
