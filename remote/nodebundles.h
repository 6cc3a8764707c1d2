// SPDX-License-Identifier: GPL-3.0-or-later
// The bundles that lie in a node's cache, and their removal. Worker thread.
#pragma once

#include "remote/nodelink.h"

namespace lockstep {

struct NodeBundle {
    QString hash;
    QString kind; // program, torch, files (of a user's folder)
    qint64 bytes = 0;
    qint64 files = 0;
    qint64 madeUs = 0; // wall clock of the node
    QString inUse;     // by what; empty: by nothing
};
[[nodiscard]] Result<QList<NodeBundle>> listBundles(const NodeLink& link, std::stop_token stop);

struct BundleRemoval {
    QStringList removed;
    QList<std::pair<QString, QString>> kept; // and why
    qint64 freedBytes = 0;
};
[[nodiscard]] Result<BundleRemoval> removeBundles(const NodeLink& link, const QStringList& hashes,
                                                  std::stop_token stop);

} // namespace lockstep
