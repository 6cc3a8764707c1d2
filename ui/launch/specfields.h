// SPDX-License-Identifier: GPL-3.0-or-later
// Between the words in the form's fields and the values of a RunSpec. Pure; a wrong text has its reason.
#pragma once

#include "core/runspec.h"

#include <QStringList>

namespace lockstep::ui {

[[nodiscard]] QStringList ranksANodeChoices();
[[nodiscard]] QString ranksANodeText(int ranks); // 0: "all devices"
[[nodiscard]] int ranksANode(const QString& text);

// What an empty field stands for: the trainer's own value under this spec, or "auto".
[[nodiscard]] QString usualText(const RunSpec& spec, const QString& name);
// An emptied field takes the option out; a choice that is the trainer's own adds none.
void setOrDrop(RunSpec& spec, const RunSpec& opened, const char* name, const QString& text);
// Why `text` is no number that this field can take; empty: right, or empty and so the trainer's own choice.
[[nodiscard]] QString wrongNumber(const QString& name, const QString& text);

// Words as a POSIX shell quotes them, without any of its expansions: 'two words' "two words" two\ words.
[[nodiscard]] QString wordsText(const QList<QByteArray>& words);
[[nodiscard]] QString readWords(const QString& text, QList<QByteArray>& into); // the reason, empty: read
[[nodiscard]] QString environmentText(const Environment& environment);
[[nodiscard]] QString readEnvironment(const QString& text, Environment& into);

[[nodiscard]] QStringList differingNames(const RunSpec& a, const RunSpec& b); // "lr", "nodes"
[[nodiscard]] QString advancedSummary(const RunSpec& spec);
// Every setting as name and value, for comparing runs.
[[nodiscard]] QList<QPair<QString, QString>> settingsOf(const RunSpec& spec);

} // namespace lockstep::ui
