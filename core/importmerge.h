// SPDX-License-Identifier: GPL-3.0-or-later
// Taking a file's nodes into the inventory, also again when the file has grown: what the file said the last time is
// kept beside the inventory, so that what a person edited since is told apart from what the file changed, and stays.
#pragma once

#include "core/inventory.h"

namespace lockstep {

struct ImportChange {
    QString node;
    QString what; // "slots 4 -> 8", "slots stays 4 as it was edited here; the file says 8"

    bool operator==(const ImportChange&) const = default;
};

struct ImportReport {
    QStringList added;
    QList<ImportChange> updated; // taken from the file
    QList<ImportChange> kept;    // not taken: edited here, removed here, or gone from the file
    int same = 0;

    [[nodiscard]] QStringList sentences() const; // "3 nodes added: gpu5, gpu6, gpu7" ...
};

// `last` is what the file named the last time; empty at the first import.
[[nodiscard]] ImportReport mergeImport(Inventory& inventory, const QList<Node>& imported, const QList<Node>& last);

// What was imported of this file the last time, under FOLDER/imports/. A copy that cannot be read is none.
[[nodiscard]] QList<Node> lastImport(const QString& folder, const QString& file);
[[nodiscard]] Result<void> keepImport(const QString& folder, const QString& file, const QList<Node>& imported);

// All of it: FOLDER/inventory.toml is changed, the copy renewed.
[[nodiscard]] Result<ImportReport> importInto(const QString& inventoryFile, const QString& file,
                                              const QList<Node>& imported);

} // namespace lockstep
