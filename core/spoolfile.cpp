// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/spoolfile.h"

#include <QFileInfo>
#include <QLoggingCategory>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <sys/file.h>
#include <sys/stat.h>

namespace lockstep {
namespace {

Q_LOGGING_CATEGORY(lcSpool, "lockstep.store")

constexpr qint64 kMostReadBytes = 64LL << 20;

QString reason()
{
    return QString::fromLocal8Bit(std::strerror(errno));
}

std::unexpected<Error> ioFailure(const QString& what, const QString& path, const QString& node)
{
    return failure(ErrorCode::Io, QStringLiteral("%1 %2: %3.").arg(what, path, reason()), node);
}

} // namespace

SpoolFile::SpoolFile(QString tail, QString node, qint64 segmentBytes)
    : m_tail(std::move(tail)), m_node(std::move(node)), m_segmentBytes(segmentBytes)
{
}

QString SpoolFile::segmentPath(int index) const
{
    return QStringLiteral("%1.%2").arg(m_tail).arg(index, 6, 10, QLatin1Char('0'));
}

// Looks for what has been finished since the last time, by us or by another desktop.
Result<void> SpoolFile::findSegments()
{
    const auto isThere = [](const QString& plain) {
        return QFileInfo::exists(plain) || QFileInfo::exists(plain + QStringLiteral(".zst"));
    };
    const bool first = m_ends.isEmpty();
    for (;;) {
        const int index = static_cast<int>(m_ends.size());
        const QString plain = segmentPath(index);
        const qint64 start = m_ends.isEmpty() ? 0 : m_ends.last();
        // In this order: the compressed file is in place before the plain one goes.
        if (const QFileInfo file(plain); file.exists()) {
            m_ends.append(start + file.size());
            m_plain.append(plain);
        } else if (QFileInfo::exists(plain + QStringLiteral(".zst"))) {
            const Result<CompressedSegment> segment = CompressedSegment::open(plain + QStringLiteral(".zst"));
            if (!segment)
                return failure(segment.error().code, segment.error().text, m_node);
            m_ends.append(start + segment->size());
        } else {
            if (first && isThere(segmentPath(index + 1)))
                return failure(ErrorCode::Io,
                               QStringLiteral("The spool of %1 has a gap: %2 is missing. Restore it from a copy.")
                                   .arg(m_node, plain),
                               m_node);
            return {};
        }
    }
}

// The tail and where it begins. Another desktop may finish it between the two looks; then they are repeated.
Result<SpoolFile::Tail> SpoolFile::openTail(Use use)
{
    for (;;) {
        if (const Result<void> found = findSegments(); !found)
            return std::unexpected(found.error());
        const qsizetype segments = m_ends.size();
        OpenFile file(m_tail, use == Use::Append ? O_WRONLY | O_APPEND | O_CREAT : O_RDONLY);
        if (use == Use::Append && (!file.isOpen() || ::flock(file.get(), LOCK_EX) != 0))
            return ioFailure(QStringLiteral("This can't be opened for what %1 sent:").arg(m_node), m_tail, m_node);
        if (!file.isOpen() && errno != ENOENT)
            return ioFailure(QStringLiteral("This can't be read:"), m_tail, m_node);
        struct stat status {};
        if (file.isOpen() && ::fstat(file.get(), &status) != 0)
            return ioFailure(QStringLiteral("The size can't be read of"), m_tail, m_node);
        if (const Result<void> found = findSegments(); !found)
            return std::unexpected(found.error());
        if (m_ends.size() == segments)
            return Tail{std::move(file), m_ends.isEmpty() ? 0 : m_ends.last(), status.st_size};
    }
}

Result<qint64> SpoolFile::size()
{
    const Result<Tail> tail = openTail(Use::Read);
    if (!tail)
        return std::unexpected(tail.error());
    return tail->start + tail->size;
}

Result<void> SpoolFile::append(qint64 offset, std::string_view bytes)
{
    Result<Tail> tail = openTail(Use::Append);
    if (!tail)
        return std::unexpected(tail.error());
    const qint64 there = tail->start + tail->size;
    if (there != offset)
        return failure(ErrorCode::Protocol,
                       QStringLiteral("The spool of %1 is %2 bytes long here, and bytes from %3 were offered: taken, "
                                      "they would make a %4. Follow again from %2.")
                           .arg(m_node)
                           .arg(there)
                           .arg(offset)
                           .arg(offset > there ? QStringLiteral("gap") : QStringLiteral("double")),
                       m_node);
    if (tail->file.write(bytes.data(), static_cast<qint64>(bytes.size())) < 0)
        return ioFailure(QStringLiteral("What %1 sent can't be kept in").arg(m_node), m_tail, m_node);
    tail->size += static_cast<qint64>(bytes.size());
    if (tail->size >= m_segmentBytes)
        finishTail(*tail);
    return {};
}

// Under the tail's lock. What was appended stays appended if this fails: the tail grows on, and is finished later.
void SpoolFile::finishTail(const Tail& tail)
{
    const QString segment = segmentPath(static_cast<int>(m_ends.size()));
    // Synced first: the offsets of all that follows rest on this segment's size, after a power cut too.
    if (::fdatasync(tail.file.get()) == 0 &&
        ::rename(QFile::encodeName(m_tail).constData(), QFile::encodeName(segment).constData()) == 0) {
        m_ends.append(tail.start + tail.size);
        m_plain.append(segment);
        m_complained = false;
    } else if (!std::exchange(m_complained, true)) {
        qCWarning(lcSpool).noquote() << QStringLiteral("%1: the spool's segment %2 can't be finished: %3. It grows on.")
                                            .arg(m_node, segment, reason());
    }
}

Result<QByteArray> SpoolFile::read(qint64 offset, qint64 limit)
{
    const Result<Tail> tail = openTail(Use::Read);
    if (!tail)
        return std::unexpected(tail.error());
    offset = std::max<qint64>(0, offset);
    const qint64 wanted = std::min({tail->start + tail->size - offset, limit, kMostReadBytes});
    QByteArray bytes;
    while (bytes.size() < wanted && offset + bytes.size() < tail->start) {
        const Result<QByteArray> piece = readSegment(offset + bytes.size(), wanted - bytes.size());
        if (!piece)
            return piece;
        if (piece->isEmpty())
            return failure(ErrorCode::Io, QStringLiteral("A finished segment of %1 has become shorter.").arg(m_tail),
                           m_node);
        bytes += *piece;
    }
    if (const qsizetype have = bytes.size(); have < wanted) {
        bytes.resize(wanted);
        const qint64 got = tail->file.readAt(offset + have - tail->start, bytes.data() + have, wanted - have);
        if (got < 0)
            return ioFailure(QStringLiteral("This can't be read:"), m_tail, m_node);
        bytes.truncate(have + got);
    }
    return bytes;
}

// Not beyond the end of the segment that holds `offset`.
Result<QByteArray> SpoolFile::readSegment(qint64 offset, qint64 limit)
{
    const auto index = static_cast<int>(std::upper_bound(m_ends.begin(), m_ends.end(), offset) - m_ends.begin());
    const qint64 start = index == 0 ? 0 : m_ends[index - 1];
    limit = std::min(limit, m_ends[index] - offset);
    if (m_opened != index) {
        const QString plain = segmentPath(index);
        if (const OpenFile file(plain, O_RDONLY); file.isOpen()) {
            QByteArray bytes(limit, Qt::Uninitialized);
            const qint64 got = file.readAt(offset - start, bytes.data(), limit);
            if (got < 0)
                return ioFailure(QStringLiteral("This can't be read:"), plain, m_node);
            bytes.truncate(got);
            return bytes;
        }
        Result<CompressedSegment> segment = CompressedSegment::open(plain + QStringLiteral(".zst"));
        if (!segment)
            return failure(segment.error().code, segment.error().text, m_node);
        m_segment = std::move(*segment);
        m_opened = index;
    }
    Result<QByteArray> bytes = m_segment->read(offset - start, limit);
    if (!bytes)
        return failure(bytes.error().code, bytes.error().text, m_node);
    return bytes;
}

QStringList SpoolFile::takePlainSegments()
{
    return std::exchange(m_plain, {});
}

} // namespace lockstep
