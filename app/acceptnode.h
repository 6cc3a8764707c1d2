// SPDX-License-Identifier: GPL-3.0-or-later
// nodes accept: host keys that a person has compared. Thread: main.
#pragma once

#include "app/desk.h"
#include "app/options.h"

namespace lockstep {

[[nodiscard]] int acceptNode(const Options& options, const Desk& desk);

} // namespace lockstep
