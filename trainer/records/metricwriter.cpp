// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/records/metricwriter.h"

#include "core/wire/encoder.h"
#include "core/wire/kinds.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <ctime>

namespace lockstep::trainer {

namespace {

bool writable(int descriptor)
{
    const int flags = fcntl(descriptor, F_GETFL);
    return flags != -1 && (flags & O_ACCMODE) != O_RDONLY;
}

} // namespace

std::int64_t monotonicUs()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::int64_t>(now.tv_sec) * 1'000'000 + now.tv_nsec / 1000;
}

MetricWriter::MetricWriter(int descriptor, int rank)
    : m_descriptor(writable(descriptor) ? descriptor : -1), m_rank(rank)
{
    if (enabled())
        fcntl(m_descriptor, F_SETFD, FD_CLOEXEC);
}

void MetricWriter::write(std::string_view record)
{
    if (!enabled())
        return;
    push();
    noteDropped();
    if (m_pending.size() + record.size() > kMostPending) {
        ++m_dropped;
        ++m_droppedEver;
        m_droppedBytes += record.size();
        return;
    }
    m_pending += record;
    push();
}

void MetricWriter::flush(std::chrono::milliseconds deadline)
{
    noteDropped();
    const auto end = std::chrono::steady_clock::now() + deadline;
    while (enabled() && push() == Progress::Blocked) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        if (left.count() <= 0)
            return;
        pollfd waiting{m_descriptor, POLLOUT, 0};
        poll(&waiting, 1, static_cast<int>(left.count()));
    }
}

// The descriptor may be shared with other processes, so its flags stay as they are: POLLOUT on a pipe promises room for
// PIPE_BUF bytes, and a write of no more than that cannot block.
MetricWriter::Progress MetricWriter::push()
{
    std::size_t sent = 0;
    Progress progress = Progress::Full;
    while (sent < m_pending.size()) {
        pollfd room{m_descriptor, POLLOUT, 0};
        if (poll(&room, 1, 0) != 1 || (room.revents & (POLLOUT | POLLERR)) == 0) {
            progress = Progress::Blocked;
            break;
        }
        const std::size_t piece = std::min<std::size_t>(m_pending.size() - sent, PIPE_BUF);
        const ssize_t wrote = ::write(m_descriptor, m_pending.data() + sent, piece);
        if (wrote > 0) {
            sent += static_cast<std::size_t>(wrote);
        } else if (wrote < 0 && errno == EINTR) {
            continue;
        } else if (wrote < 0 && errno == EAGAIN) {
            progress = Progress::Blocked;
            break;
        } else { // the reader is gone: nobody will miss the rest
            m_descriptor = -1;
            m_pending.clear();
            return Progress::Full;
        }
    }
    m_pending.erase(0, sent);
    return progress;
}

void MetricWriter::noteDropped()
{
    if (m_dropped == 0 || m_pending.size() > kMostPending / 2)
        return;
    wire::Encoder(m_pending)
        .begin(wire::kind::kDropped, m_rank, monotonicUs())
        .field("what", wire::kind::kMetric)
        .field("count", m_dropped)
        .field("bytes", m_droppedBytes)
        .end();
    m_dropped = 0;
    m_droppedBytes = 0;
}

} // namespace lockstep::trainer
