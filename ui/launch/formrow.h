// SPDX-License-Identifier: GPL-3.0-or-later
// What the rows of the Launch form are put together from.
#pragma once

#include "ui/theme.h"

#include <QStringList>

class QHBoxLayout;
class QVBoxLayout;

namespace lockstep::ui {

class Combo;
class Field;

[[nodiscard]] QHBoxLayout* addFormRow(Theme& theme, QVBoxLayout& column, const QString& label);
Field* addField(Theme& theme, QHBoxLayout& row, const QString& label, const QString& name, int characters);
// The caption stands inside of the box, before the value.
Combo* addCombo(Theme& theme, QHBoxLayout& row, const QString& caption, const QString& name, const QStringList& values);
// Shows a value that the list does not hold as one more entry: nothing of a spec is hidden or changed.
void choose(Combo& combo, const QString& value);

} // namespace lockstep::ui
