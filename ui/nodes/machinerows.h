// SPDX-License-Identifier: GPL-3.0-or-later
// A node's machine in captions and values. Pure.
#pragma once

#include "core/nodestate.h"

namespace lockstep::ui {

enum class MachineForm { WithoutDevices, BesideDevices }; // whether devices and interfaces have tables of their own
[[nodiscard]] QList<QPair<QString, QString>> machineRows(const NodeState& state, MachineForm form);
// "Debian 12, kernel 6.1, glibc 2.36, up 41 days"
[[nodiscard]] QString systemSentence(const NodeState& state);

} // namespace lockstep::ui
