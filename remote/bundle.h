// SPDX-License-Identifier: GPL-3.0-or-later
// A program tree that is sent to nodes, named by the hash of its manifest. Links to files are sent as the files.
#pragma once

#include "core/error.h"

#include <QByteArray>
#include <QList>
#include <QString>

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
    QByteArray hash;         // of the manifest: names, contents, modes
    QList<BundleFile> files; // sorted by path
    qint64 bytes = 0;

    bool operator==(const Bundle&) const = default;

    // What `lockstep-agent receive` reads first: bundle, file..., end.
    [[nodiscard]] QByteArray manifest() const;
    // Hashes known by (path, size, mtime, inode) are kept in `cacheFolder`, so that an unchanged tree costs one stat a
    // file.
    [[nodiscard]] static Result<Bundle> read(const QString& folder, const QString& cacheFolder);
};

} // namespace lockstep
