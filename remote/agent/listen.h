// SPDX-License-Identifier: GPL-3.0-or-later
// The short reachability check, and the choice of the master's port; the only time that the agent opens a port.
//
//   listen ADDR[,ADDR...] PORT
//       holds PORT (0: a free one, the same everywhere) on every address until stdin ends; listens and echoes what it
//       is sent until a line comes on stdin, or 60 s
//       -> port - T port=29417                                 after that line: held - T port=29417
//   reach ADDR[,ADDR...] PORT
//       connects to all at once and sends a byte, for as long as 5 s
//       -> reached - T addr=10.0.0.11 rtt_us=80 from=10.0.0.12 if=eth0       unreached - T addr=172.17.0.1 text=...
#pragma once

#include <string_view>

namespace lockstep::agent {

[[nodiscard]] int runListen(std::string_view addresses, std::string_view port, int outFd, int inFd);
[[nodiscard]] int runReach(std::string_view addresses, std::string_view port, int outFd);

} // namespace lockstep::agent
