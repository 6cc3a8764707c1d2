// SPDX-License-Identifier: GPL-3.0-or-later
// The `receive` verb: a bundle comes in (README.md, "Receiving a bundle").
#pragma once

#include <string>

namespace lockstep::agent {

[[nodiscard]] int runReceive(const std::string& bundle, int in, int out);

} // namespace lockstep::agent
