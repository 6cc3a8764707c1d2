// SPDX-License-Identifier: GPL-3.0-or-later
// A program tree that is sent to nodes, named by the hash of its manifest. Links to files are sent as the files.
#pragma once

#include "core/error.h"

#include <QByteArray>
#include <QList>
#include <QString>
#include <QStringList>

namespace lockstep {

struct BundleFile {
    QByteArray path; // inside the bundle, with /
    QByteArray hash;
    qint64 size = 0;
    int mode = 0644; // 0644 or 0755

    bool operator==(const BundleFile&) const = default;
};

struct Bundle {
    QString folder;          // on this machine
    QByteArray hash;         // of the manifest: names, contents, modes, and the torch beside them
    QList<BundleFile> files; // sorted by path
    qint64 bytes = 0;
    // A torch on the node (.../site-packages/torch) whose libraries lie beside the files; empty: none.
    QByteArray torch, torchVersion;

    bool operator==(const Bundle&) const = default;

    enum class Frames { Drop, Keep }; // Keep: the node passes them on (relay)
    // What `lockstep-agent receive` reads first: bundle, file..., end. `sender`: one word for all tries of one deploy.
    [[nodiscard]] QByteArray manifest(const QByteArray& sender = {}, Frames frames = Frames::Drop) const;
    // Only these of its files, beside the libraries of that torch.
    [[nodiscard]] Bundle beside(const QByteArray& torch, const QByteArray& torchVersion,
                                const QStringList& names) const;
    // Hashes known by (path, size, mtime, inode) are kept in `cacheFolder`, so that an unchanged tree costs one stat a
    // file.
    [[nodiscard]] static Result<Bundle> read(const QString& folder, const QString& cacheFolder);
    // Only these paths (inside the folder, with /).
    [[nodiscard]] static Result<Bundle> read(const QString& folder, QList<QByteArray> paths,
                                             const QString& cacheFolder);
};

} // namespace lockstep
