// SPDX-License-Identifier: GPL-3.0-or-later
// A numeric IPv4 or IPv6 address with a port. Names are not looked up: the plan holds numbers.
#pragma once

#include "remote/agent/outcome.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::agent {

class SocketAddress {
public:
    [[nodiscard]] static Outcome<SocketAddress> parse(std::string_view address, std::string_view port);
    // 10.0.0.11,fd00::1: at least one, at most kMostAddresses.
    [[nodiscard]] static Outcome<std::vector<SocketAddress>> parseList(std::string_view addresses,
                                                                       std::string_view port);
    [[nodiscard]] static SocketAddress localOf(int fd); // this end of a connected socket

    [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&m_storage); }
    [[nodiscard]] socklen_t size() const;
    [[nodiscard]] int family() const { return m_storage.ss_family; }
    [[nodiscard]] int port() const;
    void setPort(int port);
    [[nodiscard]] int boundPort(int fd) const;
    [[nodiscard]] std::string text() const; // without the port

    [[nodiscard]] std::string interface() const; // that has this address; empty: none, or it can't be said

private:
    [[nodiscard]] static socklen_t sizeOf(int family);

    static constexpr std::size_t kMostAddresses = 64;

    sockaddr_storage m_storage{};
};

} // namespace lockstep::agent
