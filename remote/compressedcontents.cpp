// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/compressedcontents.h"

#include "core/atomicfile.h"
#include "remote/contenthash.h"

#include <zstd.h>

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

#include <memory>
#include <thread>

namespace lockstep {

namespace {

constexpr int kLevel =
    3; // 364 MB of LibTorch to 98 MB in about a second on 2 cores; higher levels cost more than they save on a LAN
constexpr int kMaxWorkers = 4;
constexpr int kKeptDays = 60; // of a frame that nobody wants: every build makes new ones
constexpr qsizetype kPieceBytes = 1 << 20;

struct ContextEnd {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};
using Context = std::unique_ptr<ZSTD_CCtx, ContextEnd>;

Context makeContext(qint64 size)
{
    Context context(ZSTD_createCCtx());
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
    const int cores = static_cast<int>(std::thread::hardware_concurrency());
    // A library without threads refuses this, and compresses on one.
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_nbWorkers, std::min(cores, kMaxWorkers));
    ZSTD_CCtx_setPledgedSrcSize(context.get(), static_cast<unsigned long long>(size));
    return context;
}

Error sourceError(const QString& path, const QString& why)
{
    return {ErrorCode::Io, QStringLiteral("%1 cannot be compressed: %2").arg(path, why), {}};
}

Result<CompressedFile> compress(const QString& source, const BundleFile& file, const QString& target,
                                std::stop_token stop)
{
    // Old frames stay valid for ever, their name is the hash of what they hold.
    if (const QFileInfo there(target); there.size() > 0) {
        if (QFile used(target); used.open(QIODevice::ReadWrite)) // its time says when it was wanted last
            used.setFileTime(QDateTime::currentDateTime(), QFileDevice::FileModificationTime);
        return CompressedFile{target, there.size()};
    }
    QFile in(source);
    QSaveFile out(target);
    if (!in.open(QIODevice::ReadOnly))
        return std::unexpected(sourceError(source, in.errorString()));
    if (!out.open(QIODevice::WriteOnly))
        return std::unexpected(sourceError(source, out.errorString()));
    const Context context = makeContext(file.size);
    ContentHash hash;
    QByteArray piece(kPieceBytes, Qt::Uninitialized), packed(kPieceBytes, Qt::Uninitialized);
    for (qint64 left = file.size;;) {
        if (stop.stop_requested())
            return failure(ErrorCode::Stopped, QStringLiteral("stopped while the bundle was compressed"));
        const qint64 got = in.read(piece.data(), std::min<qint64>(piece.size(), left));
        if (got < 0 || (got == 0 && left > 0))
            return std::unexpected(sourceError(source, QStringLiteral("it became shorter while it was read")));
        left -= got;
        hash.add({piece.constData(), static_cast<std::size_t>(got)});
        ZSTD_inBuffer input{piece.constData(), static_cast<std::size_t>(got), 0};
        const ZSTD_EndDirective directive = left == 0 ? ZSTD_e_end : ZSTD_e_continue;
        for (std::size_t rest = 1; left == 0 ? rest != 0 : input.pos < input.size;) {
            ZSTD_outBuffer output{packed.data(), static_cast<std::size_t>(packed.size()), 0};
            rest = ZSTD_compressStream2(context.get(), &output, &input, directive);
            if (ZSTD_isError(rest))
                return std::unexpected(sourceError(source, QString::fromUtf8(ZSTD_getErrorName(rest))));
            out.write(packed.constData(), static_cast<qint64>(output.pos));
        }
        if (left == 0)
            break;
    }
    // A wrong frame under a right name would be refused by every node, for ever.
    if (hash.hex() != file.hash)
        return std::unexpected(sourceError(source, QStringLiteral("it changes while it is sent; wait for the build")));
    if (!commitWhole(out))
        return std::unexpected(sourceError(source, out.errorString()));
    return CompressedFile{target, QFileInfo(target).size()};
}

void dropUnused(const QString& folder)
{
    const QDateTime limit = QDateTime::currentDateTime().addDays(-kKeptDays);
    for (const QFileInfo& file : QDir(folder).entryInfoList({QStringLiteral("*.zst")}, QDir::Files))
        if (file.lastModified() < limit)
            QFile::remove(file.filePath());
}

QString pathOf(const QString& folder, const QByteArray& hash)
{
    return folder + QLatin1Char('/') + QString::fromLatin1(hash) + QStringLiteral(".zst");
}

} // namespace

CompressedContents::CompressedContents(const Bundle& bundle, const QString& cacheFolder, std::stop_token stop)
    : m_folder(cacheFolder + QStringLiteral("/compressed"))
{
    QDir().mkpath(m_folder);
    dropUnused(m_folder);
    for (const BundleFile& file : bundle.files) {
        const QString source = bundle.folder + QLatin1Char('/') + QFile::decodeName(file.path);
        const QString target = pathOf(m_folder, file.hash);
        if (!m_files.contains(file.hash))
            m_files.emplace(file.hash, std::async(std::launch::deferred, compress, source, file, target, stop).share());
    }
}

std::optional<qint64> CompressedContents::sizeOf(const QByteArray& hash) const
{
    const QFileInfo file(pathOf(m_folder, hash));
    return file.size() > 0 ? std::optional(file.size()) : std::nullopt;
}

Result<CompressedFile> CompressedContents::get(const QByteArray& hash) const
{
    const auto found = m_files.find(hash);
    if (found == m_files.end())
        return failure(ErrorCode::NotFound,
                       QStringLiteral("no content %1 in the bundle").arg(QString::fromLatin1(hash)));
    const std::shared_future<Result<CompressedFile>> file =
        found->second; // a copy for each thread, as the standard asks
    return file.get();
}

} // namespace lockstep
