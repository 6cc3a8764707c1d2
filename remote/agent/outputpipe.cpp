// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/outputpipe.h"

#include "core/wire/encoder.h"
#include "core/wire/kinds.h"

#include <algorithm>

namespace lockstep::agent {

OutputPipe::OutputPipe(int rank, std::string_view kind, Fd pipe, Fd file, std::int64_t nowUs)
    : m_rank(rank), m_kind(kind), m_pipe(std::move(pipe)), m_file(std::move(file)), m_budget(kOutputRate, nowUs)
{
}

PipeState OutputPipe::read(std::string& spool, std::int64_t nowUs)
{
    const PipeState state = readTurn(m_pipe, [&](std::string_view bytes) {
        keepRaw(bytes);
        m_lines.feed(bytes, [&](std::string_view text, std::uint64_t cut) { addLine(spool, text, cut, nowUs); });
    });
    if (state == PipeState::Ended)
        finish(spool, nowUs);
    return state;
}

void OutputPipe::tick(std::string& spool, std::int64_t nowUs)
{
    if (m_dropped == DroppedCount{} && m_lostRawBytes == 0)
        return;
    wire::Encoder encoder(spool);
    encoder.begin(wire::kind::kDropped, m_rank, nowUs)
        .field("what", m_kind)
        .field("count", m_dropped.count)
        .field("bytes", m_dropped.bytes);
    if (m_lostRawBytes > 0) // then the rank's own file has a gap too
        encoder.field("lost_bytes", m_lostRawBytes).field("reason", "the disk of the node was full");
    encoder.end();
    m_dropped = {};
    m_lostRawBytes = 0;
}

void OutputPipe::finish(std::string& spool, std::int64_t nowUs)
{
    m_lines.finish([&](std::string_view text, std::uint64_t cut) { addLine(spool, text, cut, nowUs); });
    tick(spool, nowUs);
    m_pipe.reset();
    m_file.reset();
}

void OutputPipe::addLine(std::string& spool, std::string_view text, std::uint64_t cutBytes, std::int64_t nowUs)
{
    if (!m_budget.take(text.size(), nowUs)) {
        m_dropped.add(text.size() + static_cast<std::size_t>(cutBytes) + 1);
        return;
    }
    wire::Encoder encoder(spool);
    encoder.begin(m_kind, m_rank, nowUs).field("text", text);
    if (cutBytes > 0)
        encoder.field("cut", cutBytes);
    encoder.end();
}

void OutputPipe::keepRaw(std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t written = m_file.isOpen() ? ::write(m_file.get(), bytes.data(), bytes.size()) : -1;
        if (written <= 0) {
            m_lostRawBytes += bytes.size();
            return;
        }
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

} // namespace lockstep::agent
