// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes in any pieces -> records. Never fails: a line that is no record, or is longer than kMaxRecordBytes, is counted
// and skipped.
#pragma once

#include "core/wire/record.h"

#include <functional>
#include <string>
#include <string_view>

namespace lockstep::wire {

struct DecoderCounts {
    std::uint64_t records = 0;
    std::uint64_t malformed = 0; // lines that are no record
    std::uint64_t oversize = 0;  // lines longer than the limit
    std::uint64_t bytes = 0;     // fed so far; with the initial offset: the position in the stream
};

// One line without its newline. `fields` is scratch space that `record` will point to.
[[nodiscard]] bool decodeLine(std::string_view line, RecordView& record, std::vector<Field>& fields);

class Decoder {
public:
    using Sink = std::function<void(const RecordView&)>;

    explicit Decoder(std::uint64_t offset = 0) : m_offset(offset) {}

    void feed(std::string_view bytes, const Sink& sink);
    [[nodiscard]] const DecoderCounts& counts() const { return m_counts; }
    [[nodiscard]] std::string_view pending() const { return m_partial; } // an unfinished last line

private:
    void take(std::string_view line, std::uint64_t offset, const Sink& sink);

    std::string m_partial;
    std::vector<Field> m_fields;
    std::uint64_t m_offset;  // of the byte after the last one fed
    bool m_skipping = false; // inside an oversize line
    DecoderCounts m_counts;
};

} // namespace lockstep::wire
