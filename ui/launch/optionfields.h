// SPDX-License-Identifier: GPL-3.0-or-later
// The trainer's options that have a field of their own in the form: lines to type in, and lists to choose from. An
// empty line leaves the value to the trainer, and shows it. Thread: GUI.
#pragma once

#include "core/runspec.h"

#include <QObject>

namespace lockstep::ui {

class Combo;
class Field;

class OptionFields : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    void add(Field* field); // its object name is the option's
    void add(Combo* combo);
    void show(const RunSpec& spec);
    // Writes them; what was not in `opened` and is the trainer's own choice is left out. The reason when one cannot be
    // meant; empty: right.
    [[nodiscard]] QString read(RunSpec& spec, const RunSpec& opened);

signals:
    void edited();

private:
    QList<Field*> m_fields;
    QList<Combo*> m_combos;
};

} // namespace lockstep::ui
