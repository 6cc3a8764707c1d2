// SPDX-License-Identifier: GPL-3.0-or-later
// How OpenSSH cuts a line of ssh_config into words (misc.c of OpenSSH: strdelim, argv_split; match.c). Values and pure
// functions.
#pragma once

#include <QByteArray>
#include <QList>

#include <optional>

namespace lockstep {

// Takes the first word off `rest`: words end at blanks and, once, at "="; in double quotes at their end.
[[nodiscard]] std::optional<QByteArray> takeConfigWord(std::optional<QByteArray>& rest);

// All words, with single and double quotes and \-escapes, to the end or a #. nullopt: a quote is not closed.
[[nodiscard]] std::optional<QList<QByteArray>> configWords(const QByteArray& text);

// 90, 2m, 1h30m; none: -1. nullopt: no time.
[[nodiscard]] std::optional<int> configSeconds(const QByteArray& word);

enum class PatternCase { AsIs, Lower };
// "gpu*,!gpu7": none of the negated ones and one of the others. Lower: the patterns are lowered first.
[[nodiscard]] bool matchesPatternList(const QByteArray& name, const QByteArray& patterns, PatternCase how);

} // namespace lockstep
