// SPDX-License-Identifier: GPL-3.0-or-later
// A verb's stdin: lines with a deadline, and counted bytes between them.
#pragma once

#include "core/wire/decoder.h"
#include "remote/agent/outcome.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

namespace lockstep::agent {

inline constexpr std::int64_t kNoDeadline = std::numeric_limits<std::int64_t>::max();

class Input {
public:
    explicit Input(int fd) : m_fd(fd) {}

    enum class Answer { Line, End, Timeout };
    // Without its newline. Failure: longer than a record may be, or unreadable.
    [[nodiscard]] Outcome<Answer> readLine(std::string& line, std::int64_t deadlineUs = kNoDeadline);
    // Until there are bytes to read. Answer::Line: there are.
    [[nodiscard]] Outcome<Answer> await(std::int64_t deadlineUs);
    // Some bytes, `limit` at most; empty: the end. Valid until the next call.
    [[nodiscard]] Outcome<std::string_view> readSome(std::size_t limit);

private:
    enum class Filled { Bytes, End, Timeout };
    [[nodiscard]] Outcome<Filled> fill(std::int64_t deadlineUs);

    int m_fd;
    std::string m_buffer;
    std::size_t m_at = 0; // of the first byte not handed out
};

// What a verb is asked: hands each record to `take` until the one of kind `end`. Failure: the input ends before, or is
// silent for a minute ("WHAT came to no end on standard input").
[[nodiscard]] Outcome<void> readAsked(Input& input, const std::string& what,
                                      const std::function<void(const wire::RecordView&)>& take);

} // namespace lockstep::agent
