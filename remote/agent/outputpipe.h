// SPDX-License-Identifier: GPL-3.0-or-later
// A rank's stdout or stderr: every byte into the rank's own file, lines within the budget into the spool.
#pragma once

#include "remote/agent/budget.h"
#include "remote/agent/fd.h"
#include "remote/agent/linesplitter.h"
#include "remote/agent/pipeturn.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::agent {

class OutputPipe {
public:
    OutputPipe(int rank, std::string_view kind, Fd pipe, Fd file, std::int64_t nowUs);

    [[nodiscard]] int pollFd() const { return m_pipe.get(); } // -1: ended
    PipeState read(std::string& spool, std::int64_t nowUs);
    void tick(std::string& spool, std::int64_t nowUs);   // says what was dropped since
    void finish(std::string& spool, std::int64_t nowUs); // the last unfinished line; closes

private:
    void addLine(std::string& spool, std::string_view text, std::uint64_t cutBytes, std::int64_t nowUs);
    void keepRaw(std::string_view bytes);

    int m_rank;
    std::string m_kind;
    Fd m_pipe;
    Fd m_file;
    LineSplitter m_lines;
    Budget m_budget;
    DroppedCount m_dropped;
    std::uint64_t m_lostRawBytes = 0; // that the full disk did not take
};

} // namespace lockstep::agent
