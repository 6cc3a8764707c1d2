// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compressedsegment.h"

#include "core/openfile.h"

#include <QFileInfo>
#include <QtEndian>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <sys/file.h>
#include <sys/stat.h>
#include <zstd.h>

namespace lockstep {
namespace {

constexpr int kCompressionLevel = 3;
constexpr quint32 kTableMagic = 0x184D2A5E;
constexpr quint32 kFooterMagic = 0x8F92EAB1;
constexpr qint64 kHeadBytes = 8, kRowBytes = 8, kFooterBytes = 9;
constexpr qint64 kMostFrames = 1 << 20;
constexpr qint64 kMostFrameBytes = 16 << 20; // of what another version may have written

struct FreeContext {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

std::unexpected<Error> damaged(const QString& path, const QString& what)
{
    return failure(ErrorCode::Io,
                   QStringLiteral("The segment %1 can't be read: %2. Restore it from a copy, or remove the run and "
                                  "attach to it again while its node still has it.")
                       .arg(path, what));
}

std::unexpected<Error> ioFailure(const QString& what, const QString& path)
{
    return failure(ErrorCode::Io,
                   QStringLiteral("%1 %2: %3.").arg(what, path, QString::fromLocal8Bit(std::strerror(errno))));
}

void appendNumber(QByteArray& to, quint32 value)
{
    const quint32 little = qToLittleEndian(value);
    to.append(reinterpret_cast<const char*>(&little), sizeof little);
}

quint32 numberAt(const QByteArray& bytes, qint64 offset)
{
    return qFromLittleEndian<quint32>(bytes.constData() + offset);
}

Result<void> writeFrames(const OpenFile& from, const OpenFile& to, const QString& plain, const QString& aside)
{
    const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kCompressionLevel);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
    QByteArray in(CompressedSegment::kFrameBytes, Qt::Uninitialized);
    QByteArray out(static_cast<qsizetype>(ZSTD_compressBound(CompressedSegment::kFrameBytes)), Qt::Uninitialized);
    QByteArray rows;
    for (qint64 offset = 0;;) {
        const qint64 got = from.readAt(offset, in.data(), in.size());
        if (got < 0)
            return ioFailure(QStringLiteral("This can't be read to be compressed:"), plain);
        if (got == 0)
            break;
        const std::size_t made = ZSTD_compress2(context.get(), out.data(), static_cast<std::size_t>(out.size()),
                                                in.constData(), static_cast<std::size_t>(got));
        if (ZSTD_isError(made) != 0)
            return failure(
                ErrorCode::Io,
                QStringLiteral("%1 can't be compressed: %2.").arg(plain, QString::fromLatin1(ZSTD_getErrorName(made))));
        if (to.write(out.constData(), static_cast<qint64>(made)) < 0)
            return ioFailure(QStringLiteral("This can't be written:"), aside);
        appendNumber(rows, static_cast<quint32>(made));
        appendNumber(rows, static_cast<quint32>(got));
        offset += got;
    }
    QByteArray table;
    appendNumber(table, kTableMagic);
    appendNumber(table, static_cast<quint32>(rows.size() + kFooterBytes));
    table += rows;
    appendNumber(table, static_cast<quint32>(rows.size() / kRowBytes));
    table += '\0';
    appendNumber(table, kFooterMagic);
    if (to.write(table.constData(), table.size()) < 0 || ::fsync(to.get()) != 0)
        return ioFailure(QStringLiteral("This can't be written:"), aside);
    return {};
}

} // namespace

Result<CompressedSegment> CompressedSegment::open(const QString& path)
{
    const OpenFile file(path, O_RDONLY);
    struct stat status {};
    if (!file.isOpen() || ::fstat(file.get(), &status) != 0)
        return ioFailure(QStringLiteral("This can't be read:"), path);
    const qint64 end = status.st_size;
    QByteArray footer(kFooterBytes, Qt::Uninitialized);
    if (end < kHeadBytes + kFooterBytes ||
        file.readAt(end - kFooterBytes, footer.data(), kFooterBytes) != kFooterBytes ||
        numberAt(footer, 5) != kFooterMagic || footer[4] != 0)
        return damaged(path, QStringLiteral("its end is missing"));
    const qint64 frames = numberAt(footer, 0);
    const qint64 tableBytes = kHeadBytes + frames * kRowBytes + kFooterBytes;
    if (frames > kMostFrames || tableBytes > end)
        return damaged(path, QStringLiteral("its table is longer than the file"));
    QByteArray table(tableBytes, Qt::Uninitialized);
    if (file.readAt(end - tableBytes, table.data(), tableBytes) != tableBytes || numberAt(table, 0) != kTableMagic)
        return damaged(path, QStringLiteral("its table has no beginning"));
    CompressedSegment segment(path);
    Frame frame;
    for (qint64 i = 0; i < frames; ++i) {
        frame.compressed = numberAt(table, kHeadBytes + i * kRowBytes);
        frame.size = numberAt(table, kHeadBytes + i * kRowBytes + 4);
        if (frame.size > kMostFrameBytes || frame.compressed > end - tableBytes - frame.at)
            return damaged(path, QStringLiteral("its table names bytes that are not there"));
        segment.m_frames.push_back(frame);
        frame.at += frame.compressed;
        frame.start += frame.size;
    }
    return segment;
}

qint64 CompressedSegment::size() const
{
    return m_frames.empty() ? 0 : m_frames.back().start + m_frames.back().size;
}

Result<void> CompressedSegment::load(const Frame& frame)
{
    const OpenFile file(m_path, O_RDONLY);
    QByteArray packed(frame.compressed, Qt::Uninitialized);
    if (!file.isOpen() || file.readAt(frame.at, packed.data(), packed.size()) != packed.size())
        return ioFailure(QStringLiteral("This can't be read:"), m_path);
    m_bytes.resize(frame.size);
    const std::size_t got = ZSTD_decompress(m_bytes.data(), static_cast<std::size_t>(m_bytes.size()),
                                            packed.constData(), static_cast<std::size_t>(packed.size()));
    m_loaded = -1;
    if (ZSTD_isError(got) != 0)
        return damaged(m_path, QString::fromLatin1(ZSTD_getErrorName(got)));
    if (static_cast<qint64>(got) != frame.size)
        return damaged(m_path, QStringLiteral("a frame is shorter than the table says"));
    m_loaded = frame.start;
    return {};
}

Result<QByteArray> CompressedSegment::read(qint64 offset, qint64 limit)
{
    QByteArray bytes;
    auto frame = std::upper_bound(m_frames.begin(), m_frames.end(), offset,
                                  [](qint64 at, const Frame& one) { return at < one.start + one.size; });
    for (; frame != m_frames.end() && bytes.size() < limit; ++frame) {
        if (m_loaded != frame->start) {
            if (const Result<void> loaded = load(*frame); !loaded)
                return std::unexpected(loaded.error());
        }
        const qint64 from = offset + bytes.size() - frame->start;
        bytes += QByteArrayView(m_bytes).sliced(from, std::min(frame->size - from, limit - bytes.size()));
        if (offset + bytes.size() == frame->start + frame->size) { // whoever reads on needs the next one
            m_loaded = -1;
            m_bytes = {};
        }
    }
    return bytes;
}

Result<void> compressSegment(const QString& plain)
{
    const QString aside = plain + QStringLiteral(".zst.new");
    const QString done = plain + QStringLiteral(".zst");
    const OpenFile from(plain, O_RDONLY);
    if (!from.isOpen() && errno == ENOENT)
        return {}; // another desktop was faster
    if (!from.isOpen())
        return ioFailure(QStringLiteral("This can't be read to be compressed:"), plain);
    // The lock keeps two desktops from writing the same file aside; whoever had it before us may have finished.
    if (::flock(from.get(), LOCK_EX | LOCK_NB) != 0 || !QFileInfo::exists(plain))
        return {};
    QFile::remove(aside); // of a crash
    Result<void> written;
    {
        const OpenFile to(aside, O_WRONLY | O_CREAT | O_EXCL);
        written =
            to.isOpen() ? writeFrames(from, to, plain, aside) : ioFailure(QStringLiteral("This can't be made:"), aside);
    }
    if (written && ::rename(QFile::encodeName(aside).constData(), QFile::encodeName(done).constData()) != 0)
        written = ioFailure(QStringLiteral("This can't be renamed:"), aside);
    if (!written) {
        QFile::remove(aside);
        return written;
    }
    // The new name has to be on the disk before the old one goes, or a power cut could take both.
    const OpenFile folder(QFileInfo(plain).path(), O_RDONLY | O_DIRECTORY);
    if (!folder.isOpen() || ::fsync(folder.get()) != 0)
        return ioFailure(QStringLiteral("The folder can't be synced of"), plain);
    QFile::remove(plain);
    return {};
}

} // namespace lockstep
