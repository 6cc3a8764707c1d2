// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/spoolwriter.h"

#include "core/wire/decoder.h"
#include "core/wire/encoder.h"
#include "core/wire/kinds.h"
#include "remote/agent/segment.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace lockstep::agent {

namespace {

constexpr std::size_t kMaxKeptBytes = 1024 * 1024; // phases and facts that wait for room on the disk

bool mustNotBeLost(std::string_view kind)
{
    return kind == wire::kind::kPhase || kind == wire::kind::kHello || kind == wire::kind::kInfo ||
           kind == wire::kind::kDropped;
}

} // namespace

SpoolWriter::SpoolWriter(std::string runFolder, std::uint64_t segmentBytes)
    : m_runFolder(std::move(runFolder)), m_segmentBytes(segmentBytes)
{
}

Outcome<SpoolWriter> SpoolWriter::open(const std::string& runFolder, std::uint64_t segmentBytes)
{
    SpoolWriter writer(runFolder, segmentBytes);
    int index = 0;
    std::optional<SegmentState> last;
    for (auto state = findSegment(runFolder, index); state; state = findSegment(runFolder, ++index)) {
        if (last && !last->compressed)
            writer.m_finished.push_back(index - 1);
        last = state;
    }
    if (last && !last->compressed)
        --index;
    if (const auto opened = writer.openSegment(index); !opened)
        return std::unexpected(opened.error());
    // A supervisor that was killed in the middle of a write left half a record: that line ends here.
    char lastByte = '\n';
    if (writer.m_bytes > 0 && ::pread(writer.m_file.get(), &lastByte, 1, static_cast<off_t>(writer.m_bytes - 1)) == 1 &&
        lastByte != '\n' && writer.write("\n") != 1)
        return failed("disk", "can't go on in the spool of " + runFolder);
    return writer;
}

Outcome<void> SpoolWriter::openSegment(int index)
{
    const std::string path = segmentPath(m_runFolder, index);
    Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file.isOpen())
        return failedSystemCall("open " + path);
    const off_t end = ::lseek(file.get(), 0, SEEK_END);
    if (end < 0)
        return failedSystemCall("look at " + path);
    m_file = std::move(file);
    m_index = index;
    m_bytes = static_cast<std::uint64_t>(end);
    return {};
}

void SpoolWriter::append(std::string_view records, std::int64_t nowUs)
{
    if (isBlocked() && !writeKept(nowUs)) {
        keepOrDrop(records);
        return;
    }
    const std::size_t written = write(records);
    if (written < records.size()) {
        const bool atLineStart = written == 0 || records[written - 1] == '\n';
        const std::size_t lineEnd = atLineStart ? written : records.find('\n', written) + 1;
        m_kept.assign(records.substr(written, lineEnd - written));
        keepOrDrop(records.substr(lineEnd));
        return;
    }
    rollWhenFull();
}

std::optional<int> SpoolWriter::takeFinishedSegment()
{
    if (m_finished.empty())
        return std::nullopt;
    const int index = m_finished.front();
    m_finished.erase(m_finished.begin());
    return index;
}

std::size_t SpoolWriter::write(std::string_view bytes)
{
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t written = ::write(m_file.get(), bytes.data() + done, bytes.size() - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) // full, over quota, over the file size limit, a sick disk: all the same to us
            break;
        done += static_cast<std::size_t>(written);
    }
    m_bytes += done;
    return done;
}

// What was kept, then the counts of what was lost. False: still no room.
bool SpoolWriter::writeKept(std::int64_t nowUs)
{
    m_kept.erase(0, write(m_kept));
    if (!m_kept.empty())
        return false;
    keepCounts(nowUs);
    m_kept.erase(0, write(m_kept));
    return m_kept.empty();
}

void SpoolWriter::keepCounts(std::int64_t nowUs)
{
    wire::Encoder encoder(m_kept);
    for (const auto& [key, count] : m_dropped) {
        encoder.begin(wire::kind::kDropped, key.first, nowUs)
            .field("what", key.second)
            .field("count", count.count)
            .field("bytes", count.bytes)
            .field("reason", "the disk of the node was full")
            .end();
    }
    m_dropped.clear();
}

void SpoolWriter::keepOrDrop(std::string_view records)
{
    while (!records.empty()) {
        const std::string_view line = records.substr(0, records.find('\n'));
        wire::RecordView record;
        if (wire::decodeLine(line, record, m_fields)) {
            if (mustNotBeLost(record.kind) && m_kept.size() + line.size() < kMaxKeptBytes) {
                keepCounts(record.timeUs); // what was lost before it is said before it; `ended` stays the last record
                m_kept.append(line).push_back('\n');
            } else {
                m_dropped[{record.rank, std::string(record.kind)}].add(line.size() + 1);
            }
        }
        records.remove_prefix(std::min(line.size() + 1, records.size()));
    }
}

void SpoolWriter::rollWhenFull()
{
    if (m_bytes < m_segmentBytes)
        return;
    const int finished = m_index;
    if (openSegment(m_index + 1)) // else this one grows on
        m_finished.push_back(finished);
}

} // namespace lockstep::agent
