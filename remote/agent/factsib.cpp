// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/factsib.h"

#include "remote/agent/procfile.h"

#include <algorithm>
#include <filesystem>
#include <vector>

namespace lockstep::agent {

namespace {

constexpr std::size_t kMaxPorts = 64;

std::vector<std::string> entriesOf(const std::string& folder)
{
    std::vector<std::string> names;
    std::error_code failed;
    for (auto entry = std::filesystem::directory_iterator(folder, failed);
         !failed && entry != std::filesystem::directory_iterator(); entry.increment(failed))
        names.push_back(entry->path().filename());
    std::ranges::sort(names, [](const std::string& a, const std::string& b) { // mlx5_2 before mlx5_10
        return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
    return names;
}

// `4: ACTIVE` -> Active, as ibstat writes it.
std::string stateWord(const std::string& text)
{
    switch (leadingInteger(text).value_or(0)) {
    case 1:
        return "Down";
    case 2:
        return "Initializing";
    case 3:
        return "Armed";
    case 4:
    case 5:
        return "Active";
    default:
        return text;
    }
}

// `5: LinkUp` -> LinkUp
std::string afterColon(const std::string& text)
{
    return std::string(trimmed(std::string_view(text).substr(std::min(text.find(':') + 1, text.size()))));
}

} // namespace

void appendInfiniband(wire::Encoder& record, const std::string& sysRoot)
{
    const std::string root = sysRoot + "/class/infiniband";
    std::size_t number = 0;
    for (const std::string& device : entriesOf(root)) {
        const std::string folder = root + '/' + device;
        const auto nets = entriesOf(folder + "/device/net");
        const auto numa = readNumber(folder + "/device/numa_node");
        for (const std::string& port : entriesOf(folder + "/ports")) {
            if (number == kMaxPorts)
                return;
            const std::string at = folder + "/ports/" + port + '/';
            const std::string key = "ib/" + std::to_string(number++) + '/';
            record.field(key + "device", device).field(key + "port", leadingInteger(port).value_or(0));
            record.field(key + "state", stateWord(readWord(at + "state")));
            record.field(key + "phys", afterColon(readWord(at + "phys_state")));
            if (const auto rate = leadingNumber(readWord(at + "rate"))) // `400 Gb/sec (4X NDR)`
                record.field(key + "rate_gbps", *rate);
            record.field(key + "layer", readWord(at + "link_layer"));
            if (!nets.empty())
                record.field(key + "net", nets.front());
            if (numa && *numa >= 0)
                record.field(key + "numa", *numa);
        }
    }
}

} // namespace lockstep::agent
