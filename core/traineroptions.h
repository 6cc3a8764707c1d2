// SPDX-License-Identifier: GPL-3.0-or-later
// The bundled trainer's options as it tells them itself: traineroptions.tsv is the output of
// `lockstep-trainer --help-table`, compiled in, and a test holds the two together. For the form, for the messages about
// a mistyped option, and for whoever shows a run's settings.
#pragma once

#include "core/runspec.h"

#include <QStringList>

namespace lockstep {

struct OptionInfo {
    enum class Kind { Choice, Text, Whole, Real };

    QString part; // the heading in --help
    QString name; // as in a spec: weight_decay
    Kind kind = Kind::Text;
    QString value; // the trainer's default; empty: none
    QStringList choices;
    double least = 0; // of numbers
    double most = 0;
    QString meaning;
};

[[nodiscard]] const QList<OptionInfo>& trainerOptions();            // in the order of --help
[[nodiscard]] const OptionInfo* trainerOption(const QString& name); // nullptr: no such option
[[nodiscard]] QStringList choicesOf(const QString& name);           // empty: a text or a number

// The option's value under this spec: what it says, else the trainer's own choice, which for lr and weight_decay
// follows the optimiser. Empty: none.
[[nodiscard]] QString valueInUse(const RunSpec& spec, const QString& name);
[[nodiscard]] QString usualValue(const RunSpec& spec, const QString& name); // the trainer's own choice alone

// An unknown name (with the nearest known one), a value that is none of the choices, or no number in its range.
[[nodiscard]] Result<void> checkTrainerOption(const QString& name, const QByteArray& value);

} // namespace lockstep
