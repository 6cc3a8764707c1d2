// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/socketaddress.h"

#include <arpa/inet.h>

#include <charconv>

namespace lockstep::agent {

namespace {

constexpr int kMaxPort = 65535;

sockaddr_in& v4(sockaddr_storage& storage)
{
    return reinterpret_cast<sockaddr_in&>(storage);
}
sockaddr_in6& v6(sockaddr_storage& storage)
{
    return reinterpret_cast<sockaddr_in6&>(storage);
}

} // namespace

Outcome<SocketAddress> SocketAddress::parse(std::string_view address, std::string_view port)
{
    int number = -1;
    const auto read = std::from_chars(port.data(), port.data() + port.size(), number);
    if (read.ec != std::errc() || read.ptr != port.data() + port.size() || number < 0 || number > kMaxPort)
        return failed("usage", "\"" + std::string(port) + "\" is no port");
    SocketAddress result;
    const std::string text(address);
    if (::inet_pton(AF_INET, text.c_str(), &v4(result.m_storage).sin_addr) == 1)
        result.m_storage.ss_family = AF_INET;
    else if (::inet_pton(AF_INET6, text.c_str(), &v6(result.m_storage).sin6_addr) == 1)
        result.m_storage.ss_family = AF_INET6;
    else
        return failed("usage", "\"" + text + "\" is no numeric address");
    result.setPort(number);
    return result;
}

SocketAddress SocketAddress::localOf(int fd)
{
    SocketAddress result;
    socklen_t size = sizeof result.m_storage;
    ::getsockname(fd, reinterpret_cast<sockaddr*>(&result.m_storage), &size);
    return result;
}

socklen_t SocketAddress::size() const
{
    return family() == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
}

int SocketAddress::port() const
{
    // The port stands at the same place in both forms.
    return ntohs(reinterpret_cast<const sockaddr_in&>(m_storage).sin_port);
}

void SocketAddress::setPort(int port)
{
    v4(m_storage).sin_port = htons(static_cast<std::uint16_t>(port));
}

int SocketAddress::boundPort(int fd) const
{
    return localOf(fd).port();
}

std::string SocketAddress::text() const
{
    char text[INET6_ADDRSTRLEN] = "";
    if (family() == AF_INET6)
        ::inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6&>(m_storage).sin6_addr, text, sizeof text);
    else
        ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(m_storage).sin_addr, text, sizeof text);
    return text;
}

} // namespace lockstep::agent
