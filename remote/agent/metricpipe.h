// SPDX-License-Identifier: GPL-3.0-or-later
// Descriptor 3 of a rank: records of its own. The supervisor fills in rank and time, and lets nothing pass that only it
// may say.
#pragma once

#include "core/wire/decoder.h"
#include "remote/agent/budget.h"
#include "remote/agent/fd.h"
#include "remote/agent/pipeturn.h"

#include <cstdint>
#include <string>

namespace lockstep::agent {

class MetricPipe {
public:
    MetricPipe(int rank, Fd pipe, std::int64_t nowUs);

    [[nodiscard]] int pollFd() const { return m_pipe.get(); } // -1: ended
    PipeState read(std::string& spool, std::int64_t nowUs);
    void tick(std::string& spool, std::int64_t nowUs);
    void finish(std::string& spool, std::int64_t nowUs);

private:
    void take(const wire::RecordView& record, std::string& spool, std::int64_t nowUs);

    int m_rank;
    Fd m_pipe;
    wire::Decoder m_decoder;
    Budget m_budget;
    DroppedCount m_dropped;
    std::uint64_t m_unreadable = 0; // lines that are no record, or of a kind that a rank may not write
    std::uint64_t m_saidUnreadable = 0;
};

} // namespace lockstep::agent
