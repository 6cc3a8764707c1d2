// SPDX-License-Identifier: GPL-3.0-or-later
// The folder of the user's that goes with a run, ready to be sent. A value; read once for all nodes.
#pragma once

#include "core/sentfolder.h"
#include "remote/compressedcontents.h"

#include <memory>

namespace lockstep {

struct UserFolder {
    SentFolder sent;
    Bundle bundle;
    std::shared_ptr<const CompressedContents> contents;

    // `folder` empty: an empty bundle, for which nothing is sent.
    [[nodiscard]] static Result<UserFolder> read(const QString& folder, const QString& cacheFolder,
                                                 std::stop_token stop);
    [[nodiscard]] bool isEmpty() const { return bundle.files.isEmpty(); }
};

} // namespace lockstep
