// SPDX-License-Identifier: GPL-3.0-or-later
// The facts of a node that come as lists: `if/12/addr/0=10.0.0.1/24` (nodefacts.h has the keys). Bytes from outside.
#pragma once

#include "core/nodefacts.h"

namespace lockstep {

[[nodiscard]] bool takeListed(NodeFacts& facts, const wire::Field& field); // false: its key is none of a list

[[nodiscard]] QString factText(const wire::Field& field);
[[nodiscard]] int smallFact(const wire::Field& field); // -1: no number, or none that can be meant

} // namespace lockstep
