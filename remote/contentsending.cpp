// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/contentsending.h"

#include "core/wire/encoder.h"
#include "remote/contenthash.h"

#include <QFile>

namespace lockstep {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr qsizetype kPieceBytes =
    256 << 10; // a turn of the SSH loop: more delays the other channels (reference: upload table)
constexpr auto kProgressEvery = 200ms;
constexpr auto kStartTime = 40s; // a login shell that takes seconds
// The agent says something every second while it waits; between a content's last byte and the next word lies its way to
// the disk.
constexpr auto kSilence = 180s;
constexpr auto kPieceTime = 180s; // of 256 KiB: less than 2 kB/s is no link

QByteArray record(std::string_view kind)
{
    std::string text;
    wire::Encoder(text).begin(kind, wire::kNode, 0).end();
    return QByteArray::fromStdString(text);
}

} // namespace

ContentSending::ContentSending(NodeLink& link, const DeployOrder& order, QByteArray sender, std::stop_token stop)
    : m_link(link), m_order(order), m_sender(std::move(sender)), m_stop(std::move(stop))
{
}

Result<QByteArray> ContentSending::run()
{
    auto call = AgentCall::start(*m_link.transport, m_link.agent.path, {"receive", m_order.bundle.hash},
                                 Deadline::in(kStartTime), m_stop, Lane::Bulk);
    if (!call)
        return std::unexpected(call.error());
    m_call.emplace(std::move(*call));
    const auto needed = askNeeded();
    if (!needed)
        return std::unexpected(needed.error());
    for (const Needed& one : *needed)
        m_progress.of += one.file.bytes - one.from;
    m_start = m_next = Clock::now();
    told(0);
    for (const Needed& one : *needed) {
        if (auto sent = send(one); !sent)
            return std::unexpected(sent.error());
        ++m_filesSent;
    }
    if (auto sent = m_call->send(record("end"), Deadline::in(kPieceTime), m_stop); !sent)
        return std::unexpected(sent.error());
    const QString& node = m_link.transport->node().name;
    for (;;) {
        auto answer = m_call->next(Deadline::in(kSilence), m_stop);
        if (!answer)
            return std::unexpected(answer.error());
        if (!*answer)
            return failure(ErrorCode::Protocol, QStringLiteral("the agent on %1 ended without its `done`").arg(node),
                           node);
        if ((*answer)->kind != "done")
            continue;
        QByteArray path = QByteArray::fromStdString((*answer)->fields["path"]);
        if (path.startsWith('/'))
            return path;
        return failure(ErrorCode::Protocol,
                       QStringLiteral("%1 says it put the bundle at “%2”").arg(node, QString::fromUtf8(path)), node);
    }
}

// What the node lacks, compressed.
Result<QList<ContentSending::Needed>> ContentSending::askNeeded()
{
    const QByteArray manifest = m_order.bundle.manifest(m_sender, m_order.frames);
    if (auto sent = m_call->send(manifest, Deadline::in(kPieceTime), m_stop); !sent)
        return std::unexpected(sent.error());
    QList<AgentRecord> records;
    for (;;) {
        auto answer = m_call->next(Deadline::in(kSilence), m_stop);
        if (!answer)
            return std::unexpected(answer.error());
        if (!*answer)
            return failure(ErrorCode::Protocol, QStringLiteral("the agent ended before it said what it needs"));
        if ((*answer)->kind == "end")
            break;
        if ((*answer)->kind == "waiting" && m_order.progressed && Clock::now() >= m_next) {
            m_next = Clock::now() + kProgressEvery;
            m_order.progressed({.event = QStringLiteral("waiting: another node fills the same home")});
        }
        if ((*answer)->kind == "need")
            records.append(std::move(**answer));
    }
    QList<Needed> list;
    for (const AgentRecord& record : std::as_const(records)) {
        auto one = needed(record);
        if (!one)
            return std::unexpected(one.error());
        list.append(*one);
    }
    return list;
}

Result<ContentSending::Needed> ContentSending::needed(const AgentRecord& record) const
{
    const QByteArray hash = record.text("hash").toLatin1();
    auto file = m_order.contents.get(hash);
    if (!file)
        return std::unexpected(file.error());
    Needed needed{hash, *file, 0};
    // Only where its bytes are the beginning of our frame: another desktop's compressor may have made another one.
    const qint64 have = record.integer("have").value_or(0);
    if (have > 0 && have <= file->bytes) {
        const auto beginning = hashFile(file->path, have);
        if (beginning && beginning->size == have && QString::fromLatin1(beginning->hex) == record.text("prefix"))
            needed.from = have;
    }
    return needed;
}

Result<void> ContentSending::send(const Needed& needed)
{
    QFile file(needed.file.path);
    if (!file.open(QIODevice::ReadOnly) || !file.seek(needed.from))
        return failure(ErrorCode::Io,
                       QStringLiteral("%1 cannot be read: %2").arg(needed.file.path, file.errorString()));
    std::string head;
    wire::Encoder(head)
        .begin("content", wire::kNode, 0)
        .field("hash", needed.hash.toStdString())
        .field("bytes", needed.file.bytes)
        .field("from", needed.from)
        .end();
    if (auto sent = m_call->send(QByteArray::fromStdString(head), Deadline::in(kPieceTime), m_stop); !sent)
        return sent;
    for (qint64 left = needed.file.bytes - needed.from; left > 0;) {
        const QByteArray piece = file.read(std::min<qint64>(kPieceBytes, left));
        if (piece.isEmpty())
            return failure(ErrorCode::Io, QStringLiteral("%1 became shorter while it was sent").arg(needed.file.path));
        if (auto sent = m_call->send(piece, Deadline::in(kPieceTime), m_stop); !sent)
            return sent;
        if (auto heard = m_call->drain(m_stop); !heard)
            return heard;
        left -= piece.size();
        told(piece.size());
    }
    return {};
}

void ContentSending::told(qint64 bytes)
{
    m_progress.bytes += bytes;
    if (!m_order.progressed || (Clock::now() < m_next && m_progress.bytes < m_progress.of))
        return;
    m_next = Clock::now() + kProgressEvery;
    const double seconds = std::chrono::duration<double>(Clock::now() - m_start).count();
    if (m_progress.bytes > 0) {
        m_progress.bytesPerSecond = static_cast<double>(m_progress.bytes) / std::max(1e-3, seconds);
        m_progress.secondsLeft = static_cast<double>(m_progress.of - m_progress.bytes) / m_progress.bytesPerSecond;
    }
    m_order.progressed(m_progress);
}

} // namespace lockstep
