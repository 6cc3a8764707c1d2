// SPDX-License-Identifier: GPL-3.0-or-later
// The short reachability check, and the choice of the master's port; the only time that the agent opens a port.
//
//   listen ADDR PORT   holds ADDR:PORT (0: a free one) until stdin ends, at most 60 s, and echoes one byte to whoever
//   connects
//                      -> port - T port=29417
//   reach ADDR PORT    connects and sends a byte for as long as 5 s
//                      -> reached - T rtt_us=80 from=10.0.0.12         error code=unreachable otherwise
#pragma once

#include <string_view>

namespace lockstep::agent {

[[nodiscard]] int runListen(std::string_view address, std::string_view port, int outFd, int inFd);
[[nodiscard]] int runReach(std::string_view address, std::string_view port, int outFd);

} // namespace lockstep::agent
