// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/factsnet.h"

#include "remote/agent/procfile.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <bit>
#include <filesystem>
#include <ifaddrs.h>
#include <memory>
#include <net/if.h>
#include <netinet/in.h>
#include <vector>

namespace lockstep::agent {

namespace {

constexpr std::size_t kMaxInterfaces = 64;
constexpr std::size_t kMaxAddresses = 8; // of one interface

struct Interface {
    std::string name;
    unsigned flags = 0;
    std::vector<std::string> addresses;
};

int prefixLength(const std::uint8_t* mask, std::size_t size)
{
    int bits = 0;
    for (std::size_t at = 0; at < size; ++at)
        bits += std::popcount(mask[at]);
    return bits;
}

template <typename Address, auto Member>
std::string addressText(const ifaddrs& entry)
{
    const auto* address = reinterpret_cast<const Address*>(entry.ifa_addr);
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (::inet_ntop(entry.ifa_addr->sa_family, &(address->*Member), text.data(), text.size()) == nullptr)
        return {};
    std::string full = text.data();
    if (entry.ifa_netmask != nullptr) {
        const auto* mask = reinterpret_cast<const Address*>(entry.ifa_netmask);
        full += '/' + std::to_string(
                          prefixLength(reinterpret_cast<const std::uint8_t*>(&(mask->*Member)), sizeof(mask->*Member)));
    }
    return full;
}

std::vector<Interface> interfaces()
{
    std::vector<Interface> list;
    ifaddrs* raw = nullptr;
    if (::getifaddrs(&raw) != 0)
        return list;
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> entries(raw, &::freeifaddrs);
    for (const ifaddrs* entry = raw; entry != nullptr; entry = entry->ifa_next) {
        auto known = std::ranges::find(list, entry->ifa_name, &Interface::name);
        if (known == list.end())
            known = list.insert(list.end(), Interface{entry->ifa_name, entry->ifa_flags, {}});
        if (entry->ifa_addr == nullptr)
            continue;
        std::string text;
        if (entry->ifa_addr->sa_family == AF_INET)
            text = addressText<sockaddr_in, &sockaddr_in::sin_addr>(*entry);
        else if (entry->ifa_addr->sa_family == AF_INET6)
            text = addressText<sockaddr_in6, &sockaddr_in6::sin6_addr>(*entry);
        if (!text.empty() && known->addresses.size() < kMaxAddresses)
            known->addresses.push_back(std::move(text));
    }
    std::ranges::stable_partition(list, [](const Interface& each) { return !each.addresses.empty(); });
    list.resize(std::min(list.size(), kMaxInterfaces));
    return list;
}

} // namespace

void appendInterfaces(wire::Encoder& record, const std::string& sysRoot)
{
    constexpr unsigned kUp = IFF_UP | IFF_RUNNING; // running: there is a link
    int number = 0;
    for (const Interface& each : interfaces()) {
        const std::string key = "if/" + std::to_string(number++) + '/';
        record.field(key + "name", each.name);
        for (std::size_t at = 0; at < each.addresses.size(); ++at)
            record.field(key + "addr/" + std::to_string(at), each.addresses[at]);
        // -1, or no file at all: a virtual one, or one without a link
        const auto speed = readNumber(sysRoot + "/class/net/" + each.name + "/speed");
        if (speed && *speed > 0)
            record.field(key + "speed_mbps", *speed);
        const std::string folder = sysRoot + "/class/net/" + each.name;
        if (const auto mtu = readNumber(folder + "/mtu"))
            record.field(key + "mtu", *mtu);
        std::error_code none; // of a bond or a bridge: its addresses are its master's
        if (const auto master = std::filesystem::read_symlink(folder + "/master", none); !none)
            record.field(key + "master", master.filename().string());
        if (const auto node = readNumber(folder + "/device/numa_node"); node && *node >= 0)
            record.field(key + "numa", *node);
        record.field(key + "up", (each.flags & kUp) == kUp ? 1 : 0);
        if ((each.flags & IFF_LOOPBACK) != 0)
            record.field(key + "loopback", 1);
    }
}

} // namespace lockstep::agent
