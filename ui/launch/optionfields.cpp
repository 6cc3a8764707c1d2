// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/launch/optionfields.h"

#include "core/traineroptions.h"
#include "ui/launch/formrow.h"
#include "ui/launch/specfields.h"
#include "ui/widgets/combo.h"
#include "ui/widgets/field.h"

namespace lockstep::ui {

void OptionFields::add(Field* field)
{
    m_fields.append(field);
    connect(field, &QLineEdit::textChanged, this, &OptionFields::edited);
}

void OptionFields::add(Combo* combo)
{
    m_combos.append(combo);
    connect(combo, &QComboBox::currentTextChanged, this, &OptionFields::edited);
}

void OptionFields::show(const RunSpec& spec)
{
    for (Combo* combo : std::as_const(m_combos))
        choose(*combo, valueInUse(spec, combo->objectName()));
    for (Field* field : std::as_const(m_fields))
        field->setText(QString::fromUtf8(spec.option(field->objectName())));
}

QString OptionFields::read(RunSpec& spec, const RunSpec& opened)
{
    QString wrong;
    for (const Combo* combo : std::as_const(m_combos))
        setOrDrop(spec, opened, combo->objectName().toLatin1().constData(), combo->currentText());
    for (Field* field : std::as_const(m_fields)) {
        const QString name = field->objectName(), text = field->text().trimmed();
        const QString reason = wrongNumber(name, text);
        field->setWrong(reason);
        if (wrong.isEmpty())
            wrong = reason;
        setOrDrop(spec, opened, name.toLatin1().constData(), text);
        field->setPlaceholderText(usualText(spec, name));
    }
    return wrong;
}

} // namespace lockstep::ui
