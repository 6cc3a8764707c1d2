// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/deployer.h"

#include "core/wire/encoder.h"
#include "remote/agentcall.h"

#include <QFile>

namespace lockstep {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr qsizetype kPieceBytes =
    256 << 10; // a turn of the SSH loop: more delays the other channels (reference: upload table)
constexpr auto kProgressEvery = 200ms;

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Needed {
    QByteArray hash;
    CompressedFile file;
};

QByteArray record(std::string_view kind)
{
    std::string text;
    wire::Encoder(text).begin(kind, wire::kNode, 0).end();
    return QByteArray::fromStdString(text);
}

QByteArray contentRecord(const Needed& needed)
{
    std::string text;
    wire::Encoder(text)
        .begin("content", wire::kNode, 0)
        .field("hash", needed.hash.toStdString())
        .field("bytes", needed.file.bytes)
        .end();
    return QByteArray::fromStdString(text);
}

// What the node lacks, compressed.
Result<QList<Needed>> askNeeded(AgentCall& call, const Bundle& bundle, const CompressedContents& contents,
                                Deadline deadline, std::stop_token stop)
{
    if (auto sent = call.send(bundle.manifest(), deadline, stop); !sent)
        return std::unexpected(sent.error());
    QList<Needed> needed;
    for (;;) {
        auto answer = call.next(deadline, stop);
        if (!answer)
            return std::unexpected(answer.error());
        if (!*answer)
            return failure(ErrorCode::Protocol, QStringLiteral("the agent ended before it said what it needs"));
        if ((*answer)->kind == "end")
            return needed;
        if ((*answer)->kind != "need")
            continue;
        const QByteArray hash = (*answer)->text("hash").toLatin1();
        auto file = contents.get(hash);
        if (!file)
            return std::unexpected(file.error());
        needed.append({hash, *file});
    }
}

class Meter {
public:
    Meter(qint64 of, const std::function<void(const DeployProgress&)>& progressed) : m_progressed(progressed)
    {
        m_progress.of = of;
        if (m_progressed)
            m_progressed(m_progress);
    }
    void add(qint64 bytes)
    {
        m_progress.bytes += bytes;
        if (!m_progressed || (Clock::now() < m_next && m_progress.bytes < m_progress.of))
            return;
        m_next = Clock::now() + kProgressEvery;
        m_progress.bytesPerSecond = static_cast<double>(m_progress.bytes) / std::max(1e-3, secondsSince(m_start));
        m_progress.secondsLeft = static_cast<double>(m_progress.of - m_progress.bytes) / m_progress.bytesPerSecond;
        m_progressed(m_progress);
    }

private:
    DeployProgress m_progress;
    const std::function<void(const DeployProgress&)>& m_progressed;
    Clock::time_point m_start = Clock::now(), m_next = Clock::now();
};

Result<void> sendContent(AgentCall& call, const Needed& needed, Meter& meter, Deadline deadline, std::stop_token stop)
{
    QFile file(needed.file.path);
    if (!file.open(QIODevice::ReadOnly))
        return failure(ErrorCode::Io,
                       QStringLiteral("%1 cannot be read: %2").arg(needed.file.path, file.errorString()));
    if (auto sent = call.send(contentRecord(needed), deadline, stop); !sent)
        return sent;
    for (qint64 left = needed.file.bytes; left > 0;) {
        const QByteArray piece = file.read(std::min<qint64>(kPieceBytes, left));
        if (piece.isEmpty())
            return failure(ErrorCode::Io, QStringLiteral("%1 became shorter while it was sent").arg(needed.file.path));
        if (auto sent = call.send(piece, deadline, stop); !sent)
            return sent;
        if (auto heard = call.drain(stop); !heard)
            return heard;
        left -= piece.size();
        meter.add(piece.size());
    }
    return {};
}

QString megabytes(double bytes)
{
    const double mb = bytes / 1e6;
    return QString::number(mb, 'f', mb < 10 ? 1 : 0);
}

} // namespace

QString DeployProgress::words() const
{
    if (of == 0)
        return QStringLiteral("nothing to send");
    QString text = QStringLiteral("sending %1 of %2 MB")
                       .arg(megabytes(static_cast<double>(bytes)), megabytes(static_cast<double>(of)));
    if (bytesPerSecond > 0)
        text +=
            QStringLiteral(", %1 MB/s, %2 s left").arg(megabytes(bytesPerSecond), QString::number(secondsLeft, 'f', 0));
    return text;
}

Result<Deployed> deployBundle(Transport& transport, const QByteArray& agent, const Bundle& bundle,
                              const CompressedContents& contents,
                              const std::function<void(const DeployProgress&)>& progressed, Deadline deadline,
                              std::stop_token stop)
{
    const auto start = Clock::now();
    auto call = AgentCall::start(transport, agent, {"receive", bundle.hash}, deadline, stop, Lane::Bulk);
    if (!call)
        return std::unexpected(call.error());
    const auto needed = askNeeded(*call, bundle, contents, deadline, stop);
    if (!needed)
        return std::unexpected(needed.error());
    qint64 total = 0;
    for (const Needed& one : *needed)
        total += one.file.bytes;
    Meter meter(total, progressed);
    for (const Needed& one : *needed)
        if (auto sent = sendContent(*call, one, meter, deadline, stop); !sent)
            return std::unexpected(sent.error());
    if (auto sent = call->send(record("end"), deadline, stop); !sent)
        return std::unexpected(sent.error());
    auto done = call->expect("done", deadline, stop);
    if (!done)
        return std::unexpected(done.error());
    Deployed deployed;
    deployed.path = QByteArray::fromStdString(done->fields["path"]);
    deployed.filesSent = static_cast<int>(needed->size());
    deployed.bytesSent = call->bytesSent();
    deployed.bytesReceived = call->bytesReceived();
    deployed.seconds = secondsSince(start);
    if (!deployed.path.startsWith('/'))
        return failure(ErrorCode::Protocol,
                       QStringLiteral("%1 says it put the bundle at “%2”")
                           .arg(transport.node().name, QString::fromUtf8(deployed.path)),
                       transport.node().name);
    return deployed;
}

} // namespace lockstep
