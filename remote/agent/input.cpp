// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/input.h"

#include "core/wire/record.h"
#include "remote/agent/clocks.h"

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <unistd.h>
#include <vector>

namespace lockstep::agent {

namespace {

constexpr std::size_t kReadBytes = 128 * 1024;
constexpr std::int64_t kAskUs = 60'000'000;

} // namespace

Outcome<Input::Answer> Input::readLine(std::string& line, std::int64_t deadlineUs)
{
    std::size_t searched = 0; // bytes of the unfinished line that hold no newline
    while (true) {
        const std::size_t newline = m_buffer.find('\n', m_at + searched);
        if (newline != std::string::npos) {
            line.assign(m_buffer, m_at, newline - m_at);
            m_at = newline + 1;
            return Answer::Line;
        }
        searched = m_buffer.size() - m_at;
        if (searched >= wire::kMaxRecordBytes)
            return failed("protocol", "a line on standard input is longer than a record may be");
        const auto filled = fill(deadlineUs);
        if (!filled)
            return std::unexpected(filled.error());
        if (*filled != Filled::Bytes)
            return *filled == Filled::End ? Answer::End : Answer::Timeout;
    }
}

Outcome<Input::Answer> Input::await(std::int64_t deadlineUs)
{
    if (m_at < m_buffer.size())
        return Answer::Line;
    const auto filled = fill(deadlineUs);
    if (!filled)
        return std::unexpected(filled.error());
    return *filled == Filled::Bytes ? Answer::Line : *filled == Filled::End ? Answer::End : Answer::Timeout;
}

Outcome<std::string_view> Input::readSome(std::size_t limit)
{
    if (m_at == m_buffer.size()) {
        const auto filled = fill(kNoDeadline);
        if (!filled)
            return std::unexpected(filled.error());
        if (*filled != Filled::Bytes)
            return std::string_view();
    }
    const std::string_view bytes = std::string_view(m_buffer).substr(m_at, limit);
    m_at += bytes.size();
    return bytes;
}

Outcome<Input::Filled> Input::fill(std::int64_t deadlineUs)
{
    m_buffer.erase(0, m_at);
    m_at = 0;
    while (true) {
        const std::int64_t leftMs = deadlineUs == kNoDeadline ? -1 : (deadlineUs - monotonicUs()) / 1000;
        if (deadlineUs != kNoDeadline && leftMs <= 0)
            return Filled::Timeout;
        pollfd polled{m_fd, POLLIN, 0};
        if (::poll(&polled, 1, static_cast<int>(std::min<std::int64_t>(leftMs, 60'000))) <= 0)
            continue;
        const std::size_t before = m_buffer.size();
        m_buffer.resize(before + kReadBytes);
        const ssize_t got = ::read(m_fd, m_buffer.data() + before, kReadBytes);
        m_buffer.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
        if (got > 0)
            return Filled::Bytes;
        if (got == 0)
            return Filled::End;
        if (errno != EINTR && errno != EAGAIN)
            return failedSystemCall("read standard input");
    }
}

Outcome<void> readAsked(Input& input, const std::string& what, const std::function<void(const wire::RecordView&)>& take)
{
    std::string line;
    std::vector<wire::Field> fields;
    while (true) {
        const auto answer = input.readLine(line, monotonicUs() + kAskUs);
        if (!answer)
            return std::unexpected(answer.error());
        wire::RecordView record;
        if (*answer != Input::Answer::Line || !wire::decodeLine(line, record, fields))
            return failed("protocol", what + " came to no end on standard input");
        if (record.kind == "end")
            return {};
        take(record);
    }
}

} // namespace lockstep::agent
