// SPDX-License-Identifier: GPL-3.0-or-later
// Files that matter: written aside, synced, renamed; mode 0600.
#pragma once

#include "core/error.h"

#include <QByteArray>

class QSaveFile;

namespace lockstep {

[[nodiscard]] Result<void> writeAtomically(const QString& path, const QByteArray& bytes); // makes missing folders, 0700
// Qt 6.4's commit() alone puts a cut file in the old one's place when its last buffer finds the disk full.
[[nodiscard]] bool commitWhole(QSaveFile& file);
[[nodiscard]] Result<QByteArray> readWhole(const QString& path);   // NotFound or Io, with the path in the sentence
[[nodiscard]] Result<void> makePrivateFolder(const QString& path); // with its parents, 0700

} // namespace lockstep
