// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/metricpipe.h"

#include "core/wire/encoder.h"
#include "core/wire/kinds.h"

#include <algorithm>
#include <array>

namespace lockstep::agent {

namespace {

namespace kind = wire::kind;
constexpr std::array kSupervisorsOwn{kind::kHello,  kind::kClock, kind::kPhase,   kind::kOut,  kind::kErr,
                                     kind::kDevice, kind::kProc,  kind::kDropped, kind::kError};

} // namespace

MetricPipe::MetricPipe(int rank, Fd pipe, std::int64_t nowUs)
    : m_rank(rank), m_pipe(std::move(pipe)), m_budget(kMetricRate, nowUs)
{
}

PipeState MetricPipe::read(std::string& spool, std::int64_t nowUs)
{
    const PipeState state = readTurn(m_pipe, [&](std::string_view bytes) {
        m_decoder.feed(bytes, [&](const wire::RecordView& record) { take(record, spool, nowUs); });
    });
    if (state == PipeState::Ended)
        finish(spool, nowUs);
    return state;
}

void MetricPipe::tick(std::string& spool, std::int64_t nowUs)
{
    const std::uint64_t unreadable = m_unreadable + m_decoder.counts().malformed + m_decoder.counts().oversize;
    const std::uint64_t newOnes = unreadable - m_saidUnreadable;
    if (m_dropped == DroppedCount{} && newOnes == 0)
        return;
    wire::Encoder encoder(spool);
    encoder.begin(kind::kDropped, m_rank, nowUs)
        .field("what", kind::kMetric)
        .field("count", m_dropped.count + newOnes)
        .field("bytes", m_dropped.bytes);
    if (newOnes > 0)
        encoder.field("unreadable", newOnes).field("reason", "lines on descriptor 3 that are no metric record");
    encoder.end();
    m_dropped = {};
    m_saidUnreadable = unreadable;
}

void MetricPipe::finish(std::string& spool, std::int64_t nowUs)
{
    if (!m_decoder.pending().empty()) // a last line without its newline
        m_decoder.feed("\n", [&](const wire::RecordView& record) { take(record, spool, nowUs); });
    tick(spool, nowUs);
    m_pipe.reset();
}

void MetricPipe::take(const wire::RecordView& record, std::string& spool, std::int64_t nowUs)
{
    if (std::ranges::find(kSupervisorsOwn, record.kind) != kSupervisorsOwn.end()) {
        ++m_unreadable;
        return;
    }
    if (!m_budget.take(record.line.size(), nowUs)) {
        m_dropped.add(record.line.size() + 1);
        return;
    }
    if (record.rank == m_rank && record.timeUs != 0) {
        spool.append(record.line).push_back('\n');
        return;
    }
    // The line may only get longer by its rank and time; one that was at the limit is cut like any other.
    wire::Encoder encoder(spool);
    encoder.begin(record.kind, m_rank, record.timeUs != 0 ? record.timeUs : nowUs);
    for (const wire::Field& field : *record.fields)
        encoder.rawField(field.key, field.raw);
    encoder.end();
}

} // namespace lockstep::agent
