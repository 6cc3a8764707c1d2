// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/bundle.h"

#include "core/wire/encoder.h"
#include "remote/contenthash.h"

#include <sys/stat.h>

#include <QDir>
#include <QFile>
#include <QHash>
#include <QSaveFile>

#include <algorithm>
#include <filesystem>

namespace lockstep {

namespace {

namespace fs = std::filesystem;

constexpr int kMaxFiles = 100'000; // a wrong folder (a home) is refused before it is hashed for an hour
constexpr qint64 kMaxHashFileBytes = 64 << 20;

// A line of the cache: key TAB hash. The key is everything of a stat that changes when the content does.
using KnownHashes = QHash<QByteArray, QByteArray>;

QByteArray keyOf(const QByteArray& path, const struct stat& info)
{
    return path + '|' + QByteArray::number(static_cast<qint64>(info.st_size)) + '|' +
           QByteArray::number(static_cast<qint64>(info.st_mtim.tv_sec)) + '.' +
           QByteArray::number(static_cast<qint64>(info.st_mtim.tv_nsec)) + '|' +
           QByteArray::number(static_cast<quint64>(info.st_ino));
}

QString hashesFile(const QString& cacheFolder)
{
    return cacheFolder + QStringLiteral("/hashes.tsv");
}

KnownHashes loadHashes(const QString& cacheFolder)
{
    KnownHashes known;
    QFile file(hashesFile(cacheFolder));
    if (!file.open(QIODevice::ReadOnly) || file.size() > kMaxHashFileBytes)
        return known; // a cache: missing is empty
    for (const QByteArray& line : file.readAll().split('\n')) {
        const qsizetype tab = line.lastIndexOf('\t');
        if (tab > 0 && line.size() - tab - 1 == 32)
            known.insert(line.left(tab), line.mid(tab + 1));
    }
    return known;
}

void saveHashes(const QString& cacheFolder, const KnownHashes& known)
{
    QDir().mkpath(cacheFolder);
    QSaveFile file(hashesFile(cacheFolder));
    if (!file.open(QIODevice::WriteOnly))
        return; // the next reading is slower, nothing else
    for (auto it = known.begin(); it != known.end(); ++it)
        file.write(it.key() + '\t' + it.value() + '\n');
    file.commit();
}

Result<QList<QByteArray>> pathsIn(const QString& folder)
{
    QList<QByteArray> paths;
    std::error_code ec;
    const fs::path root(QFile::encodeName(folder).toStdString());
    for (fs::recursive_directory_iterator it(root, ec), end; !ec && it != end; it.increment(ec)) {
        if (it->is_directory(ec) && !it->is_symlink(ec))
            continue;
        if (!it->is_regular_file(ec))
            return failure(ErrorCode::BadInput, QStringLiteral("The bundle %1 holds %2, which is no file")
                                                    .arg(folder, QString::fromStdString(it->path().string())));
        paths.append(QByteArray::fromStdString(it->path().lexically_relative(root).string()));
        if (paths.size() > kMaxFiles)
            return failure(ErrorCode::BadInput,
                           QStringLiteral("%1 holds more than %2 files; is it a bundle?").arg(folder).arg(kMaxFiles));
    }
    if (ec)
        return failure(
            ErrorCode::NotFound,
            QStringLiteral("The bundle %1 cannot be read: %2").arg(folder, QString::fromStdString(ec.message())));
    if (paths.isEmpty())
        return failure(ErrorCode::NotFound, QStringLiteral("The bundle %1 is empty").arg(folder));
    return paths;
}

QByteArray hashOf(const Bundle& bundle)
{
    ContentHash total;
    const auto add = [&total](const QByteArray& bytes) {
        total.add({bytes.constData(), static_cast<std::size_t>(bytes.size())});
    };
    for (const BundleFile& file : bundle.files)
        add(file.path + '\n' + file.hash + '\n' + QByteArray::number(file.mode) + '\n');
    if (!bundle.torch.isEmpty())
        add("torch\n" + bundle.torch + '\n' + bundle.torchVersion + '\n');
    return total.hex();
}

} // namespace

QByteArray Bundle::manifest(const QByteArray& sender, Frames frames) const
{
    std::string text;
    wire::Encoder encoder(text);
    encoder.begin("bundle", wire::kNode, 0).field("hash", hash.toStdString()).field("files", files.size());
    encoder.field("sender", sender.toStdString()).field("keep_frames", frames == Frames::Keep ? 1 : 0);
    if (!torch.isEmpty())
        encoder.field("torch", torch.toStdString()).field("torch_version", torchVersion.toStdString());
    encoder.end();
    for (const BundleFile& file : files)
        encoder.begin("file", wire::kNode, 0)
            .field("path", file.path.toStdString())
            .field("hash", file.hash.toStdString())
            .field("size", file.size)
            .field("mode", std::string_view(file.mode == 0755 ? "755" : "644"))
            .end();
    encoder.begin("end", wire::kNode, 0).end();
    return QByteArray::fromStdString(text);
}

Bundle Bundle::beside(const QByteArray& torchFolder, const QByteArray& version, const QStringList& names) const
{
    Bundle part{folder, {}, {}, 0, torchFolder, version};
    for (const BundleFile& file : files)
        if (names.contains(QString::fromUtf8(file.path))) {
            part.files.append(file);
            part.bytes += file.size;
        }
    part.hash = hashOf(part);
    return part;
}

Result<Bundle> Bundle::read(const QString& folder, const QString& cacheFolder)
{
    auto paths = pathsIn(folder);
    if (!paths)
        return std::unexpected(paths.error());
    return read(folder, std::move(*paths), cacheFolder);
}

Result<Bundle> Bundle::read(const QString& folder, QList<QByteArray> paths, const QString& cacheFolder)
{
    std::sort(paths.begin(), paths.end());
    const QByteArray root = QFile::encodeName(QDir(folder).absolutePath());
    KnownHashes known = loadHashes(cacheFolder);
    Bundle bundle{folder, {}, {}, 0, {}, {}};
    qsizetype fresh = 0;
    for (const QByteArray& path : std::as_const(paths)) {
        const QByteArray full = root + '/' + path;
        struct stat info {};
        if (::stat(full.constData(), &info) != 0)
            return failure(ErrorCode::Io,
                           QStringLiteral("%1 vanished while the bundle was read").arg(QFile::decodeName(full)));
        const QByteArray key = keyOf(full, info);
        BundleFile file{path, known.value(key), info.st_size, (info.st_mode & S_IXUSR) ? 0755 : 0644};
        if (file.hash.isEmpty()) {
            const auto hashed = hashFile(QFile::decodeName(full));
            if (!hashed)
                return std::unexpected(hashed.error());
            if (hashed->size != file.size)
                return failure(
                    ErrorCode::Io,
                    QStringLiteral("%1 changes while it is read; wait for the build").arg(QFile::decodeName(full)));
            file.hash = hashed->hex;
            known.insert(key, file.hash);
            ++fresh;
        }
        bundle.bytes += file.size;
        bundle.files.append(file);
    }
    bundle.hash = hashOf(bundle);
    if (fresh > 0)
        saveHashes(cacheFolder, known);
    return bundle;
}

} // namespace lockstep
