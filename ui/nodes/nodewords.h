// SPDX-License-Identifier: GPL-3.0-or-later
// How the screens speak of a node: pure functions from its state to icon, colour and words.
#pragma once

#include "core/needsperson.h"
#include "core/nodestate.h"
#include "core/rundata.h"
#include "core/runlist.h"
#include "ui/widgets/cell.h"

namespace lockstep::ui {

struct StateWords {
    Icon icon = Icon::Wait;
    Tone tone = Tone::Text2;
    QString words;
    QString action; // what a person can do about it, empty: nothing

    bool operator==(const StateWords&) const = default;
};

// `run`: what runs there ("resnet50 #12"), empty: nothing.
[[nodiscard]] StateWords stateWords(const NodeState& state, const QString& run);
// For the status bar: "gpu4: accept its key?"; empty words: nothing is asked of a person.
[[nodiscard]] StateWords askOf(const NodeState& state);
[[nodiscard]] QString runOn(const RunList& runs, const QString& node); // of the open, live runs

[[nodiscard]] QString addressText(const Node& node);               // "local", "alice@10.0.0.11", "gpu7 via login"
[[nodiscard]] QString shortDeviceName(const QString& name);        // "NVIDIA H100 80GB HBM3" -> "H100 80GB"
[[nodiscard]] QString devicesText(const NodeFacts& facts);         // "8 × H100"; "CPU, 8 cores"
[[nodiscard]] QString clockText(const NodeState& state);           // "+0.8 ms", "–"
[[nodiscard]] bool isClockApart(const NodeState& state);           // more than 100 ms, as surely as it was measured
[[nodiscard]] QString driverText(const NodeState& state);          // "13.0 / 580.65"
[[nodiscard]] QString interfaceUse(const NetInterface& interface); // "loopback", "own bridge, not used", "down", "up"
[[nodiscard]] const CoreSample* sampleOf(const NodeState& state, const QString& id);

} // namespace lockstep::ui
