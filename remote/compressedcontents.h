// SPDX-License-Identifier: GPL-3.0-or-later
// Each content of a bundle as one zstd frame, made once, whoever asks first, and kept in
// <cacheFolder>/compressed/<hash>.zst. get() may be called by any number of worker threads at once: the first of them
// compresses, the others wait for it.
#pragma once

#include "remote/bundle.h"

#include <future>
#include <map>
#include <optional>
#include <stop_token>

namespace lockstep {

struct CompressedFile {
    QString path;
    qint64 bytes = 0;
};

class CompressedContents {
public:
    CompressedContents(const Bundle& bundle, const QString& cacheFolder, std::stop_token stop);
    [[nodiscard]] std::optional<qint64> sizeOf(const QByteArray& hash) const; // nullopt: not compressed yet
    [[nodiscard]] Result<CompressedFile> get(const QByteArray& hash) const;   // NotFound: no content of this bundle

private:
    QString m_folder;
    std::map<QByteArray, std::shared_future<Result<CompressedFile>>>
        m_files; // deferred; never changed after construction
};

} // namespace lockstep
