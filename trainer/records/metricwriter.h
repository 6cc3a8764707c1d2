// SPDX-License-Identifier: GPL-3.0-or-later
// Records for descriptor 3. Training never waits for the reader: what the pipe does not take stays in a bounded buffer,
// and what does not fit there is dropped whole and counted in a `dropped` record once there is room again.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::trainer {

class MetricWriter {
public:
    static constexpr int kDescriptor = 3;
    static constexpr std::size_t kMostPending = 1 << 20;

    // The descriptor is not owned. When it is closed or not writable, every record is thrown away.
    MetricWriter(int descriptor, int rank);

    [[nodiscard]] bool enabled() const { return m_descriptor >= 0; }
    void setRank(int rank) { m_rank = rank; } // known only after the descriptor was looked at, which must come first
    [[nodiscard]] int rank() const { return m_rank; }
    [[nodiscard]] std::uint64_t dropped() const { return m_droppedEver; }

    void write(std::string_view record);            // one encoded record with its newline
    void flush(std::chrono::milliseconds deadline); // at the end: waits for the reader, but not for ever

private:
    enum class Progress { Full, Blocked };
    Progress push(); // what the pipe takes now
    void noteDropped();

    int m_descriptor;
    int m_rank;
    std::string m_pending;
    std::uint64_t m_dropped = 0; // records since the last `dropped` record
    std::uint64_t m_droppedBytes = 0;
    std::uint64_t m_droppedEver = 0;
};

[[nodiscard]] std::int64_t monotonicUs(); // the time of records

} // namespace lockstep::trainer
