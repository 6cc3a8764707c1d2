// SPDX-License-Identifier: GPL-3.0-or-later
// A numeric IPv4 or IPv6 address with a port. Names are not looked up: the plan holds numbers.
#pragma once

#include "remote/agent/outcome.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <string>
#include <string_view>

namespace lockstep::agent {

class SocketAddress {
public:
    [[nodiscard]] static Outcome<SocketAddress> parse(std::string_view address, std::string_view port);
    [[nodiscard]] static SocketAddress localOf(int fd); // this end of a connected socket

    [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&m_storage); }
    [[nodiscard]] socklen_t size() const;
    [[nodiscard]] int family() const { return m_storage.ss_family; }
    [[nodiscard]] int port() const;
    void setPort(int port);
    [[nodiscard]] int boundPort(int fd) const;
    [[nodiscard]] std::string text() const; // without the port

private:
    sockaddr_storage m_storage{};
};

} // namespace lockstep::agent
