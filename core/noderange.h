// SPDX-License-Identifier: GPL-3.0-or-later
// Compressed lists of names, as Slurm writes them, and nodes out of what a person typed.
#pragma once

#include "core/node.h"

#include <QList>
#include <QString>
#include <QStringList>

namespace lockstep {

// "gpu[01-03]" -> gpu01 gpu02 gpu03, "r[1-2]n[1,3]" -> four, "n[0-8/4]" -> n0 n4 n8; text without a range is itself.
// [2001:db8::9] is no range. At most 4096 names.
[[nodiscard]] Result<QStringList> expandRange(const QString& text);

// Cut at commas, blanks or both where they stand outside of brackets; empty parts are left out.
[[nodiscard]] QStringList splitCommas(const QString& text);
[[nodiscard]] QStringList splitBlanks(const QString& text);
[[nodiscard]] QStringList splitList(const QString& text);

// The name a node gets from its address: the host, with the port where one is given (two nodes may stand behind one
// host).
[[nodiscard]] QString nodeNameFor(const Address& address);

// New nodes out of what a person typed: `gpu1`, `alice@10.0.0.11:2222`, an alias, `gpu[1-8]`, several with commas or
// blanks.
[[nodiscard]] Result<QList<Node>> nodesFromText(const QString& text);

} // namespace lockstep
