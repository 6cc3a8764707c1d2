// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/atomicfile.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

namespace lockstep {
namespace {

constexpr qint64 kMostBytes = 256LL << 20; // nothing that is read whole is near this

constexpr QFile::Permissions kPrivateFolder = QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner;
constexpr QFile::Permissions kPrivateFile = QFile::ReadOwner | QFile::WriteOwner;

} // namespace

Result<void> makePrivateFolder(const QString& path)
{
    if (QFileInfo(path).isDir())
        return {};
    const QString parent = QFileInfo(path).path();
    if (parent != path && !QFileInfo::exists(parent)) {
        if (Result<void> made = makePrivateFolder(parent); !made)
            return made;
    }
    if (!QDir().mkdir(path, kPrivateFolder) && !QFileInfo(path).isDir())
        return failure(
            ErrorCode::Io,
            QStringLiteral("The folder %1 can't be made. Is there room, and may you write there?").arg(path));
    return {};
}

Result<void> writeAtomically(const QString& path, const QByteArray& bytes)
{
    if (Result<void> made = makePrivateFolder(QFileInfo(path).path()); !made)
        return made;
    QSaveFile file(path); // writes aside; commit() syncs and renames
    if (!file.open(QIODevice::WriteOnly) || !file.setPermissions(kPrivateFile) || file.write(bytes) != bytes.size() ||
        !commitWhole(file))
        return failure(
            ErrorCode::Io,
            QStringLiteral("%1 can't be written: %2. The old file is unchanged.").arg(path, file.errorString()));
    return {};
}

bool commitWhole(QSaveFile& file)
{
    return file.flush() && file.commit();
}

Result<QByteArray> readWhole(const QString& path)
{
    QFile file(path);
    if (!file.exists())
        return failure(ErrorCode::NotFound, QStringLiteral("There is no file %1.").arg(path));
    if (!file.open(QIODevice::ReadOnly))
        return failure(ErrorCode::Io, QStringLiteral("%1 can't be read: %2.").arg(path, file.errorString()));
    if (file.size() > kMostBytes)
        return failure(ErrorCode::BadInput, QStringLiteral("%1 is far too big to be what it should be.").arg(path));
    QByteArray bytes = file.readAll();
    if (file.error() != QFile::NoError)
        return failure(ErrorCode::Io, QStringLiteral("%1 can't be read: %2.").arg(path, file.errorString()));
    return bytes;
}

} // namespace lockstep
