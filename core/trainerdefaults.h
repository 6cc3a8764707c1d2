// SPDX-License-Identifier: GPL-3.0-or-later
// What the bundled trainer does where a spec is silent. One table for the form, for the messages about a mistyped
// option, and for whoever shows a run's settings; a test holds it to the words of `lockstep-trainer --help`.
#pragma once

#include "core/runspec.h"

#include <QStringList>

#include <span>

namespace lockstep {

struct TrainerDefault {
    enum class Place { Form, Advanced, SpecOnly }; // where the launch form asks for it

    const char* name;    // as in a spec: weight_decay
    const char* value;   // empty: none
    const char* meaning; // the words of --help
    const char* choices; // "sgd adamw"; empty: a text or a number
    Place place;
};

[[nodiscard]] std::span<const TrainerDefault> trainerDefaults();
[[nodiscard]] const TrainerDefault* trainerDefault(const QString& name); // nullptr: no such option
[[nodiscard]] QStringList choicesOf(const QString& name);                // empty: a text or a number

// The option's value under this spec: what it says, else the trainer's own choice, which for lr and weight_decay
// follows the optimiser. Empty: none.
[[nodiscard]] QString valueInUse(const RunSpec& spec, const QString& name);
[[nodiscard]] QString usualValue(const RunSpec& spec, const QString& name); // the trainer's own choice alone

// An unknown name (with the nearest known one), or a value that is none of the choices.
[[nodiscard]] Result<void> checkTrainerOption(const QString& name, const QByteArray& value);

} // namespace lockstep
