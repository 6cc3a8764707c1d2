// SPDX-License-Identifier: GPL-3.0-or-later
// Which of a node's devices a run may have: those that the spec names, those of the inventory, or all. Pure.
#pragma once

#include "core/launchplan.h"

namespace lockstep {

struct ChosenDevices {
    QList<DeviceFacts> devices; // none of a node that is not probed yet
    int named = 0;              // how many are named; 0: all are meant
    QList<Problem> problems;
};
[[nodiscard]] ChosenDevices chooseDevices(const RunSpec& spec, const PlanNode& node);

} // namespace lockstep
