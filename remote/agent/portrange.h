// SPDX-License-Identifier: GPL-3.0-or-later
// The ports that the kernel gives to outgoing connections by itself, and those that it keeps for somebody.
#pragma once

#include "core/wire/encoder.h"

#include <string>
#include <string_view>

namespace lockstep::agent {

struct PortRange {
    int low = 32768; // the kernel's default
    int high = 60999;
    std::string reserved; // ip_local_reserved_ports: 8080,9148-9150

    [[nodiscard]] bool isEphemeral(int port) const { return port >= low && port <= high; }
    [[nodiscard]] bool isReserved(int port) const;

    [[nodiscard]] static PortRange read(const std::string& procRoot);
};

void appendPorts(wire::Encoder& record, const std::string& procRoot); // port_low, port_high, ports_reserved

} // namespace lockstep::agent
