// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/resultsloop.h"

#include "core/wire/decoder.h"
#include "core/wire/encoder.h"
#include "core/wire/kinds.h"
#include "remote/agentcall.h"
#include "remote/contenthash.h"
#include "remote/pause.h"

namespace lockstep {

namespace {

using namespace std::chrono_literals;

constexpr auto kStartTime = 40s;
constexpr auto kSilence = 60s;    // a beat comes each second; hashing a large file takes some
constexpr int kMostIdleLinks = 3; // in a row without a byte of a file, of a node that is asked only while it answers
constexpr int kLooks = 2; // of a node: a file that is alike in both is whole, and was sent before the second beat
constexpr qsizetype kMaxLine = 64 << 10;

std::string_view view(const QByteArray& bytes)
{
    return {bytes.constData(), static_cast<std::size_t>(bytes.size())};
}

} // namespace

ResultsLoop::ResultsLoop(const ResultsJob& job, std::function<void(const ResultEntry&)> fetched, std::stop_token stop)
    : m_job(job), m_fetched(std::move(fetched)), m_stop(std::move(stop)), m_shelf(job.folder, job.node.name)
{
}

Result<void> ResultsLoop::run()
{
    Pause pause;
    BackOff backOff;
    int idle = 0;
    while (!m_stop.stop_requested()) {
        m_brought = false;
        m_looks = 0;
        auto link = openNode(m_job.transports, m_job.node, m_job.agent, m_stop);
        auto followed = link ? follow(*link) : Result<void>(std::unexpected(link.error()));
        m_file.close();
        m_line.clear();
        m_left = 0;
        idle = m_brought ? 0 : idle + 1;
        const bool given = m_job.tries == ResultsJob::Tries::WhileReachable && (!link || idle == kMostIdleLinks);
        if (followed || given || !worthAnotherTry(followed.error().code))
            return followed;
        if (link)
            backOff.reset();
        pause.wait(backOff.next(), m_stop);
    }
    return failure(ErrorCode::Stopped, QStringLiteral("stopped"));
}

QByteArray ResultsLoop::question() const
{
    std::string text;
    wire::Encoder encoder(text);
    for (const QString& pattern : m_job.patterns)
        encoder.begin("glob", wire::kNode, 0).field("pattern", pattern.toStdString()).end();
    for (const ResultEntry& entry : m_shelf.entries())
        encoder.begin("have", wire::kNode, 0)
            .field("path", view(entry.path))
            .field("hash", view(entry.hash))
            .field("bytes", entry.bytes)
            .end();
    encoder.begin("end", wire::kNode, 0).end();
    return QByteArray::fromStdString(text);
}

Result<void> ResultsLoop::follow(NodeLink& link)
{
    auto process = link.transport->start({link.agent.path, "results", m_job.run.toUtf8()}, Deadline::in(kStartTime),
                                         m_stop, Lane::Bulk);
    if (!process)
        return std::unexpected(process.error());
    if (auto sent = (*process)->write(question(), Deadline::in(kStartTime), m_stop); !sent)
        return sent;
    while (!m_done) {
        auto chunk = (*process)->read(Deadline::in(kSilence), m_stop);
        if (!chunk)
            return std::unexpected(chunk.error());
        if (auto taken = take(chunk->out); !taken)
            return taken;
        if (chunk->ended && !m_done)
            return failure(ErrorCode::ConnectionLost,
                           QStringLiteral("%1 stopped sending result files").arg(m_job.node.name), m_job.node.name);
    }
    return {};
}

Result<void> ResultsLoop::take(const QByteArray& bytes)
{
    for (qsizetype at = 0; at < bytes.size() && !m_done;) {
        if (m_file.isOpen()) {
            const qint64 taken = std::min<qint64>(m_left, bytes.size() - at);
            if (m_file.write(bytes.constData() + at, taken) != taken)
                return failure(ErrorCode::Io,
                               QStringLiteral("%1 cannot be written: %2").arg(m_file.fileName(), m_file.errorString()));
            at += static_cast<qsizetype>(taken);
            m_left -= taken;
            m_brought = true;
            if (m_left > 0)
                continue;
            if (auto finished = finish(); !finished)
                return finished;
            continue;
        }
        const qsizetype newline = bytes.indexOf('\n', at);
        m_line += bytes.mid(at, newline < 0 ? -1 : newline - at);
        if (m_line.size() > kMaxLine)
            return failure(ErrorCode::Protocol,
                           QStringLiteral("%1 sent result files in no order").arg(m_job.node.name));
        if (newline < 0)
            return {};
        at = newline + 1;
        const QByteArray line = std::exchange(m_line, {});
        if (auto taken = takeRecord(line); !taken)
            return taken;
    }
    return {};
}

Result<void> ResultsLoop::takeRecord(const QByteArray& line)
{
    wire::RecordView record;
    std::vector<wire::Field> fields;
    if (!wire::decodeLine(view(line), record, fields))
        return failure(ErrorCode::Protocol, QStringLiteral("%1 was asked for result files and says: %2")
                                                .arg(m_job.node.name, QString::fromUtf8(line.left(80)).simplified()));
    if (record.kind == wire::kind::kError)
        return std::unexpected(agentError(AgentRecord::from(record), m_job.node.name));
    // The node looks again each second until its run ends, which nobody who asked once waits for.
    if (record.kind == "beat" && m_job.tries == ResultsJob::Tries::WhileReachable && ++m_looks == kLooks)
        return failure(ErrorCode::Busy,
                       QStringLiteral("The run goes on on %1: what is whole there by now is here; `lockstep attach %2` "
                                      "fetches what it still writes.")
                           .arg(m_job.node.name, m_job.run),
                       m_job.node.name);
    m_done = record.kind == "done";
    return record.kind == "file" ? begin(record) : Result<void>();
}

Result<void> ResultsLoop::begin(const wire::RecordView& record)
{
    auto entry = m_shelf.begin(QByteArray::fromStdString(record.text("path")),
                               QByteArray::fromStdString(record.text("hash")), record.integer("size").value_or(-1));
    if (!entry)
        return std::unexpected(entry.error());
    const qint64 from = record.integer("from").value_or(-1);
    if (from < 0 || from > entry->bytes || from > entry->size)
        return failure(ErrorCode::Protocol,
                       QStringLiteral("%1 goes on with a result file that is not here").arg(m_job.node.name));
    m_entry = *entry;
    m_left = m_entry.size - from;
    m_file.setFileName(m_shelf.incomingFile(m_entry));
    if (!m_file.open(QIODevice::ReadWrite) || !m_file.resize(from) || !m_file.seek(from))
        return failure(ErrorCode::Io,
                       QStringLiteral("%1 cannot be written: %2").arg(m_file.fileName(), m_file.errorString()));
    return m_left == 0 ? finish() : Result<void>();
}

// One whose hash is wrong changed while it was sent: the node sends it again when it stands still.
Result<void> ResultsLoop::finish()
{
    const QString name = m_file.fileName();
    const bool flushed = m_file.flush();
    m_file.close();
    if (!flushed)
        return failure(ErrorCode::Io, QStringLiteral("%1 cannot be written; is the disk full?").arg(name));
    const auto hashed = hashFile(name);
    if (!hashed)
        return std::unexpected(hashed.error());
    if (hashed->hex != m_entry.hash || hashed->size != m_entry.size) {
        m_shelf.drop(m_entry);
        return {};
    }
    if (auto finished = m_shelf.finish(m_entry); !finished)
        return finished;
    m_entry.bytes = m_entry.size;
    m_fetched(m_entry);
    return {};
}

} // namespace lockstep
