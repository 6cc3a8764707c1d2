// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/portrange.h"

#include "remote/agent/procfile.h"

#include <algorithm>

namespace lockstep::agent {

bool PortRange::isReserved(int port) const
{
    std::string_view rest = reserved;
    while (!rest.empty()) {
        const std::string_view part = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(part.size() + 1, rest.size()));
        const std::size_t dash = part.find('-');
        const auto first = leadingInteger(part);
        const auto last = dash == std::string_view::npos ? first : leadingInteger(part.substr(dash + 1));
        if (first && last && port >= *first && port <= *last)
            return true;
    }
    return false;
}

PortRange PortRange::read(const std::string& procRoot)
{
    PortRange range;
    const std::string net = procRoot + "/sys/net/ipv4/";
    const std::string text = readWord(net + "ip_local_port_range"); // `32768\t60999`
    std::string_view rest = text;
    const auto low = leadingInteger(nextWord(rest)), high = leadingInteger(nextWord(rest));
    if (low && high && *low >= 0 && *high <= 65535 && *low <= *high) {
        range.low = static_cast<int>(*low);
        range.high = static_cast<int>(*high);
    }
    range.reserved = readWord(net + "ip_local_reserved_ports");
    return range;
}

void appendPorts(wire::Encoder& record, const std::string& procRoot)
{
    constexpr std::size_t kMostBytes = 512;
    const PortRange range = PortRange::read(procRoot);
    record.field("port_low", range.low).field("port_high", range.high);
    if (!range.reserved.empty())
        record.field("ports_reserved", range.reserved.substr(0, kMostBytes));
}

} // namespace lockstep::agent
