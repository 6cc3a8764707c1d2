// SPDX-License-Identifier: GPL-3.0-or-later
// `receive`: a bundle comes in (README.md, "Receiving a bundle"). `missing`: the same manifest, answered with what
// would be asked for; nothing is sent, nothing changed.
#pragma once

#include <string>

namespace lockstep::agent {

[[nodiscard]] int runReceive(const std::string& bundle, int in, int out);

[[nodiscard]] int runMissing(const std::string& bundle, int in, int out);

} // namespace lockstep::agent
