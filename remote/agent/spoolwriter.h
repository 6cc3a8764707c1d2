// SPDX-License-Identifier: GPL-3.0-or-later
// Appends whole records to a run's spool. A disk that is full stops nothing: what can't be written is counted, and the
// count is written when there is room again. A record that was half written is completed first, so the stream never
// tears.
#pragma once

#include "core/wire/record.h"
#include "remote/agent/budget.h"
#include "remote/agent/fd.h"
#include "remote/agent/outcome.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::agent {

class SpoolWriter {
public:
    // Goes on at the end of what an earlier attempt wrote.
    [[nodiscard]] static Outcome<SpoolWriter> open(const std::string& runFolder, std::uint64_t segmentBytes);

    void append(std::string_view records, std::int64_t nowUs);
    [[nodiscard]] std::optional<int> takeFinishedSegment(); // to be compressed
    [[nodiscard]] bool isEmpty() const { return m_index == 0 && m_bytes == 0; }
    [[nodiscard]] bool isBlocked() const { return !m_kept.empty() || !m_dropped.empty(); }

private:
    using DroppedKey = std::pair<int, std::string>; // rank, kind

    SpoolWriter(std::string runFolder, std::uint64_t segmentBytes);
    [[nodiscard]] Outcome<void> openSegment(int index);
    [[nodiscard]] std::size_t write(std::string_view bytes); // bytes written
    [[nodiscard]] bool writeKept(std::int64_t nowUs);
    void keepOrDrop(std::string_view records);
    void keepCounts(std::int64_t nowUs); // of what was lost so far, as records
    void rollWhenFull();

    std::string m_runFolder;
    std::uint64_t m_segmentBytes;
    Fd m_file;
    int m_index = 0;
    std::uint64_t m_bytes = 0; // in this segment
    std::string m_kept;        // the rest of a begun record, then records that must not be lost
    std::map<DroppedKey, DroppedCount> m_dropped;
    std::vector<int> m_finished;
    std::vector<wire::Field> m_fields;
};

} // namespace lockstep::agent
