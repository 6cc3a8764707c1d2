// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/e2e/spoolbytes.h"

#include <QFile>

#include <zstd.h>

#include <memory>

namespace lockstep::test {

namespace {

QByteArray read(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QByteArray unfolded(const QByteArray& compressed)
{
    const std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(), ZSTD_freeDStream);
    QByteArray all, piece(static_cast<qsizetype>(ZSTD_DStreamOutSize()), '\0');
    ZSTD_inBuffer in{compressed.constData(), static_cast<size_t>(compressed.size()), 0};
    for (bool more = true; more;) {
        ZSTD_outBuffer out{piece.data(), static_cast<size_t>(piece.size()), 0};
        if (ZSTD_isError(ZSTD_decompressStream(stream.get(), &out, &in)))
            qFatal("a compressed segment is damaged");
        all.append(piece.constData(), static_cast<qsizetype>(out.pos));
        more = in.pos < in.size || out.pos == out.size;
    }
    return all;
}

} // namespace

QByteArray spoolBytes(const QStringList& files)
{
    const QString ending = QStringLiteral(".zst");
    QByteArray all;
    for (const QString& path : files) {
        if (!path.endsWith(ending))
            all += read(path);
        else if (!files.contains(path.chopped(ending.size())))
            all += unfolded(read(path));
    }
    return all;
}

} // namespace lockstep::test
