// SPDX-License-Identifier: GPL-3.0-or-later
// Which files of a folder go with a run: those that git would track or could add. `.git` never goes. Rules are read
// from
// `.gitignore`, `.lockstepignore` (after it, so that it may take things back with `!`) in every folder, and from
// `.git/info/exclude`; in a folder inside a repository also from those above it.
#pragma once

#include "core/error.h"

#include <QByteArray>
#include <QList>
#include <QString>

namespace lockstep {

struct IgnoreRule {
    QByteArray base;    // the folder of its file, inside the top: "", "a/b"
    QByteArray pattern; // without `!`, leading and trailing slash
    bool anchored = false;
    bool foldersOnly = false;
    bool takesBack = false;

    bool operator==(const IgnoreRule&) const = default;
};

// The lines of one file. `base` as above.
[[nodiscard]] QList<IgnoreRule> parseIgnoreRules(const QByteArray& text, const QByteArray& base);

enum class PathKind { File, Folder };
// By the last rule that finds it. What lies in an ignored folder is not asked for.
[[nodiscard]] bool isIgnored(const QList<IgnoreRule>& rules, const QByteArray& path, PathKind kind);

struct SentFolder {
    QString folder;
    QList<QByteArray> paths; // sorted, with /
    qint64 bytes = 0;
    qsizetype ignored = 0; // files and folders left out

    bool operator==(const SentFolder&) const = default;
    [[nodiscard]] QString words() const; // "12 files, 0.3 MB"
    [[nodiscard]] static Result<SentFolder> read(const QString& folder);
};

} // namespace lockstep
