// SPDX-License-Identifier: GPL-3.0-or-later
// What the ranks of a run said of themselves once (info records): model, configuration, buckets, device, versions; and
// what NCCL said in their output, against the plan. One
// line for each value and the ranks that said it, so that a rank that differs stands out.
#pragma once

#include "core/rundata.h"

#include <QList>
#include <QString>

namespace lockstep {

struct RunFact {
    QString name;
    QString value;
    QList<int> ranks; // in order; all of the run's, or some
    bool all = false; // every rank said this value

    bool operator==(const RunFact&) const = default;
};

// By name; of one name the value of the most ranks first.
[[nodiscard]] QList<RunFact> factsOf(const RunData& run);
[[nodiscard]] QString rankRanges(const QList<int>& ranks); // "0-3, 7"

} // namespace lockstep
