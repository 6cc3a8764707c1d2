// SPDX-License-Identifier: GPL-3.0-or-later
// A spool's bytes as they were before segments were compressed, read by nobody's code but zstd's: of its files, in
// order. While a segment is being compressed both of its files are there, FILE and FILE.zst; it counts once.
#pragma once

#include <QByteArray>
#include <QStringList>

namespace lockstep::test {

[[nodiscard]] QByteArray spoolBytes(const QStringList& files);

} // namespace lockstep::test
