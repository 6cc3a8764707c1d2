// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/launch/formrow.h"

#include "ui/widgets/combo.h"
#include "ui/widgets/field.h"
#include "ui/widgets/panel.h"

#include <QBoxLayout>

namespace lockstep::ui {

namespace {

constexpr int kRowHigh = 40, kLabelWide = 72;

} // namespace

QHBoxLayout* addFormRow(Theme& theme, QVBoxLayout& column, const QString& label)
{
    auto* line = new QWidget;
    line->setFixedHeight(theme.px(kRowHigh));
    auto* row = makeRow(line);
    row->setContentsMargins(theme.px(16), 0, theme.px(16), 0);
    QLabel* words = makeLabel(theme, FontRole::Cell, Tone::Text2, label);
    words->setFixedWidth(theme.px(kLabelWide));
    row->addWidget(words);
    column.addWidget(line);
    return row;
}

Field* addField(Theme& theme, QHBoxLayout& row, const QString& label, const QString& name, int characters)
{
    QLabel* words = makeLabel(theme, FontRole::Cell, Tone::Text2, label);
    auto* field = new Field(theme, {});
    field->setCharacters(characters);
    field->setObjectName(name);
    words->setBuddy(field);
    row.addWidget(words);
    row.addWidget(field);
    return field;
}

Combo* addCombo(Theme& theme, QHBoxLayout& row, const QString& caption, const QString& name, const QStringList& values)
{
    auto* combo = new Combo(theme, caption);
    combo->setObjectName(name);
    combo->addItems(values);
    row.addWidget(combo);
    return combo;
}

void choose(Combo& combo, const QString& value)
{
    int at = combo.findText(value);
    if (at < 0) {
        combo.addItem(value);
        at = combo.count() - 1;
    }
    combo.setCurrentIndex(at);
}

} // namespace lockstep::ui
