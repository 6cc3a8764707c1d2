// SPDX-License-Identifier: GPL-3.0-or-later
// Words on their way to a program: what can be passed at all, and the one text that a login shell gets to see.
#pragma once

#include "core/error.h"

#include <QByteArray>
#include <QList>

namespace lockstep {

// NUL, a word above 128 KiB (the kernel's MAX_ARG_STRLEN), no word at all, a program that looks like an option.
[[nodiscard]] Result<void> checkArgv(const QList<QByteArray>& argv, const QString& node);

// A command line for any login shell (bash, dash, zsh, fish, tcsh) that first prints `marker` as a line on stdout and
// stderr, then becomes the program, with exactly these words. Whatever start-up files printed stands before the marker.
// The line holds a fixed script and words in which every byte that means something to some shell is written \0ooo, in
// single quotes; no quote, `!`, newline or byte above 0x7e is in it, so that all shells read it alike.
[[nodiscard]] QByteArray loginShellCommand(const QList<QByteArray>& argv, const QByteArray& marker);

// sshd hands the whole line to the shell as one word, so MAX_ARG_STRLEN holds for it too.
inline constexpr qsizetype kArgumentBytes = 128 * 1024 - 1;

} // namespace lockstep
