// SPDX-License-Identifier: GPL-3.0-or-later
// The record: one line of UTF-8 text, `kind rank time key=value key=value ...\n`.
//
//   metric 3 184467000 step=10 loss=2.3025851 lr=0.1
//   err 0 184467120 text=Traceback\s(most\srecent\scall\slast):
//   device - 184468000 id=gpu:GPU-5b1e09 index=0 util=97 mem_used=61234126848
//
// kind   [a-z][a-z0-9_]*, at most 32 bytes
// rank   decimal number of the rank, or `-` for the node
// time   the node's CLOCK_MONOTONIC in microseconds, signed decimal
// key    [A-Za-z0-9_./:-]{1,64};  value: escaped bytes (escape.h), may be empty
// Unknown kinds and keys are skipped by every reader, for ever. kinds.h lists the known ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::wire {

inline constexpr int kFormatVersion = 1;
inline constexpr std::size_t kMaxRecordBytes = 64 * 1024; // with its newline
inline constexpr std::size_t kMaxKindBytes = 32;
inline constexpr std::size_t kMaxKeyBytes = 64;
inline constexpr std::size_t kMaxFields = 4096;
inline constexpr int kNode = -1; // the rank of a record that speaks of the node, written `-`

struct Field {
    std::string_view key;
    std::string_view raw; // as on the line, still escaped

    [[nodiscard]] std::string text() const;             // unescaped bytes
    [[nodiscard]] std::optional<double> number() const; // nan, inf, -inf are numbers
    [[nodiscard]] std::optional<std::int64_t> integer() const;
};

// A decoded record. The views point into the decoder's buffer and hold only during the call that hands it out.
struct RecordView {
    std::string_view kind;
    int rank = kNode;
    std::int64_t timeUs = 0;
    const std::vector<Field>* fields = nullptr;
    std::uint64_t offset = 0; // byte position of the line's start in the whole stream
    std::string_view line;    // the line without its newline

    [[nodiscard]] const Field* find(std::string_view key) const; // the last one wins when a key is doubled
    [[nodiscard]] std::string text(std::string_view key) const;  // empty when missing
    [[nodiscard]] std::optional<double> number(std::string_view key) const;
    [[nodiscard]] std::optional<std::int64_t> integer(std::string_view key) const;
};

} // namespace lockstep::wire
