// SPDX-License-Identifier: GPL-3.0-or-later
// `lockstep doctor [SPEC|SEL]`: everything that can be known before a launch, node by node and of all together.
#pragma once

#include "app/desk.h"
#include "app/options.h"

namespace lockstep {

[[nodiscard]] int doctorCommand(const Options& options, const Desk& desk);

} // namespace lockstep
