// SPDX-License-Identifier: GPL-3.0-or-later
// Plain sockets around the rendezvous. TCPStore's client sleeps a whole second after a refused connection, so a rank
// that starts before rank 0 looks for the port itself first; and Gloo must be told which of the node's addresses to
// use.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace lockstep::trainer {

enum class PortState { Open, Closed };

// Connects every 5 ms until somebody listens there or the deadline passes. Throws Failure(Rendezvous) for a name that
// does not resolve.
[[nodiscard]] PortState waitForPort(const std::string& host, std::uint16_t port, std::chrono::milliseconds deadline);

// This node's address on the way to host, numeric; empty when there is no route.
[[nodiscard]] std::string localAddressTowards(const std::string& host, std::uint16_t port);

} // namespace lockstep::trainer
