// SPDX-License-Identifier: GPL-3.0-or-later
// Where the labels of the axes stand and what they say. Pure.
#pragma once

#include "ui/plots/plotframe.h"

#include <QString>

#include <vector>

namespace lockstep::ui {

struct Tick {
    double at = 0; // in the axis' unit (steps, seconds, y)
    QString label;

    bool operator==(const Tick&) const = default;
};

struct XLabels { // how x is spoken of
    XAxis axis = XAxis::Time;
    double stepsPerEpoch = 0;  // 0: not known, then epochs are written as steps
    double samplesPerStep = 0; // of all ranks; 0: not known, then samples are written as steps
    qint64 startWallUs = 0;    // what 0 s is by the clock

    bool operator==(const XLabels&) const = default;
    [[nodiscard]] QString text(double x) const; // for the cursor's flag: "10:12", "step 3,386", "epoch 6.70"
};

[[nodiscard]] std::vector<Tick> xTicks(const XRange& range, const XLabels& labels, int wanted);
[[nodiscard]] std::vector<Tick> yTicks(const YRange& range, int wanted);

} // namespace lockstep::ui
