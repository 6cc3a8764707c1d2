// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nodeaddress.h"

#include <arpa/inet.h>

#include <algorithm>

namespace lockstep {
namespace {

// Interfaces of containers and virtual machines: every host has the same addresses there, and none leads to another
// host.
constexpr const char* kVirtualInterfaces[] = {"docker",  "br-",   "veth",    "virbr",  "cni",     "flannel", "cali",
                                              "lxcbr",   "lxdbr", "incusbr", "podman", "nerdctl", "vnet",    "vmnet",
                                              "vboxnet", "kube-", "cilium",  "weave",  "cbr",     "dummy"};

bool parseInto(NodeAddress& address)
{
    const QByteArray text = address.text.section(u'%', 0, 0).toLatin1();
    address.v6 = text.contains(':');
    return inet_pton(address.v6 ? AF_INET6 : AF_INET, text.constData(), address.bytes.data()) == 1;
}

bool isLoopback(const NodeAddress& address)
{
    if (!address.v6)
        return address.bytes[0] == 127;
    return std::all_of(address.bytes.begin(), address.bytes.end() - 1, [](unsigned char byte) { return byte == 0; }) &&
           address.bytes[15] == 1;
}

bool isLinkLocal(const NodeAddress& address)
{
    if (!address.v6)
        return address.bytes[0] == 169 && address.bytes[1] == 254;
    return address.bytes[0] == 0xfe && (address.bytes[1] & 0xc0) == 0x80;
}

QString reasonAgainst(const NodeAddress& address, const NetInterface& interface)
{
    if (interface.loopback || isLoopback(address))
        return QStringLiteral("loopback");
    if (isLinkLocal(address))
        return QStringLiteral("link-local");
    for (const char* prefix : kVirtualInterfaces) {
        if (interface.name.startsWith(QLatin1String(prefix)))
            return QStringLiteral("bridge of containers or virtual machines");
    }
    if (!interface.up)
        return QStringLiteral("link is down");
    return {};
}

} // namespace

QString NodeAddress::subnet() const
{
    std::array<unsigned char, 16> network{};
    for (int bit = 0; bit < prefix; ++bit)
        network[static_cast<std::size_t>(bit / 8)] |=
            static_cast<unsigned char>(bytes[static_cast<std::size_t>(bit / 8)] & (0x80 >> (bit % 8)));
    char buffer[INET6_ADDRSTRLEN] = "";
    inet_ntop(v6 ? AF_INET6 : AF_INET, network.data(), buffer, sizeof buffer);
    return QStringLiteral("%1/%2").arg(QLatin1String(buffer)).arg(prefix);
}

QList<NodeAddress> addressesOf(const NodeFacts& facts)
{
    QList<NodeAddress> addresses;
    for (const NetInterface& interface : facts.interfaces) {
        for (const QString& text : interface.addresses) {
            NodeAddress address;
            address.text = text.section(u'/', 0, 0);
            address.interface = interface.name;
            address.speedMbps = interface.speedMbps;
            if (!parseInto(address)) {
                address.leftOut = QStringLiteral("is no address");
                addresses.append(address);
                continue;
            }
            const int whole = address.v6 ? 128 : 32;
            bool isNumber = false;
            const int prefix = text.section(u'/', 1).toInt(&isNumber);
            address.prefix = isNumber && prefix >= 0 && prefix <= whole ? prefix : whole;
            address.leftOut = reasonAgainst(address, interface);
            addresses.append(address);
        }
    }
    return addresses;
}

bool isNumericAddress(const QString& text)
{
    NodeAddress address;
    address.text = text;
    return parseInto(address);
}

bool isLoopbackAddress(const QString& text)
{
    NodeAddress address;
    address.text = text;
    return parseInto(address) && isLoopback(address);
}

} // namespace lockstep
