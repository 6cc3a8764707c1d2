// SPDX-License-Identifier: GPL-3.0-or-later
// What can be done about the first cause of a failure: at most three sentences a colleague would say. Pure.
#pragma once

#include "core/rundata.h"

#include <QList>

namespace lockstep::ui {

struct Advice {
    QString what; // in 500
    QString why;  // in text2

    bool operator==(const Advice&) const = default;
};

struct Evidence {
    QString source; // "signal", "last words", "others"
    QString text;

    bool operator==(const Evidence&) const = default;
};

[[nodiscard]] QList<Advice> adviceFor(const RunData& run);
[[nodiscard]] QList<Evidence> evidenceFor(const RunData& run);
// The spec to start again with: from the last checkpoint, where the run said it wrote one.
[[nodiscard]] RunSpec specToContinue(const RunData& run);
[[nodiscard]] QString checkpointOf(const RunData& run); // empty: none

} // namespace lockstep::ui
