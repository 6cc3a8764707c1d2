// SPDX-License-Identifier: GPL-3.0-or-later
// The colours words are said in, and labels that keep theirs through a change of scheme.
#pragma once

#include "ui/theme.h"

#include <QLabel>

namespace lockstep::ui {

enum class Tone { Text, Text2, Text3, Accent, Ok, Running, Idle, Warn, Bad };

[[nodiscard]] QColor toneColour(const Tokens& tokens, Tone tone);
void setTone(QLabel& label, Tone tone);
// Plain text, so that a name from outside is never read as markup.
[[nodiscard]] QLabel* makeLabel(const Theme& theme, FontRole role, Tone tone, const QString& text = {});

} // namespace lockstep::ui
