// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/socketaddress.h"

#include <arpa/inet.h>
#include <ifaddrs.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>

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

Outcome<std::vector<SocketAddress>> SocketAddress::parseList(std::string_view addresses, std::string_view port)
{
    std::vector<SocketAddress> list;
    for (std::string_view rest = addresses; list.empty() || !rest.empty();) {
        const std::string_view one = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(one.size() + 1, rest.size()));
        const auto parsed = parse(one, port);
        if (!parsed)
            return std::unexpected(parsed.error());
        if (list.size() == kMostAddresses)
            return failed("usage", "more than " + std::to_string(kMostAddresses) + " addresses");
        list.push_back(*parsed);
    }
    return list;
}

std::string SocketAddress::interface() const
{
    ifaddrs* raw = nullptr;
    if (::getifaddrs(&raw) != 0)
        return {};
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> entries(raw, &::freeifaddrs);
    for (const ifaddrs* entry = raw; entry != nullptr; entry = entry->ifa_next) {
        if (entry->ifa_addr == nullptr || entry->ifa_addr->sa_family != family())
            continue;
        SocketAddress other;
        std::memcpy(&other.m_storage, entry->ifa_addr, other.sizeOf(family()));
        if (other.text() == text())
            return entry->ifa_name;
    }
    return {};
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
    return sizeOf(family());
}

socklen_t SocketAddress::sizeOf(int family)
{
    return family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
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
