// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/factscores.h"

#include "remote/agent/cpuset.h"
#include "remote/agent/procfile.h"

#include <string_view>
#include <unistd.h>

namespace lockstep::agent {

namespace {

// The path of this process in the hierarchy of `controller`; the empty controller is cgroup 2.
std::string cgroupOf(const std::string& procRoot, std::string_view controller)
{
    const std::string file = readText(procRoot + "/self/cgroup");
    std::string_view rest = file;
    while (const auto line = nextLine(rest)) { // 4:cpu,cpuacct:/user.slice
        const std::size_t first = line->find(':');
        const std::size_t second = line->find(':', first + 1);
        if (first == std::string_view::npos || second == std::string_view::npos)
            continue;
        const std::string names = ',' + std::string(line->substr(first + 1, second - first - 1)) + ',';
        if (names == ",," ? controller.empty() : names.find(',' + std::string(controller) + ',') != std::string::npos)
            return std::string(line->substr(second + 1));
    }
    return {};
}

// The smallest value that `read` finds in this process's group and the groups above it; every one of them limits it.
template <typename Read>
std::optional<double> smallestAbove(const std::string& root, std::string path, Read read)
{
    std::optional<double> smallest;
    while (true) {
        if (const std::optional<double> value = read(root + path); value && (!smallest || *value < *smallest))
            smallest = value;
        if (path.empty() || path == "/")
            return smallest;
        path.resize(path.rfind('/'));
    }
}

} // namespace

int usableCores()
{
    const int count = CpuSet::own().count();
    return count > 0 ? count : static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
}

void appendCpus(wire::Encoder& record, const std::string& sysRoot)
{
    constexpr int kMaxNodes = 64;
    const CpuSet own = CpuSet::own();
    record.field("cpus", own.text());
    int told = 0;
    for (int node = 0; node < kMaxNodes; ++node) {
        const auto cpus =
            CpuSet::parse(readWord(sysRoot + "/devices/system/node/node" + std::to_string(node) + "/cpulist"));
        const CpuSet usable = cpus ? cpus->both(own) : CpuSet();
        if (usable.count() == 0)
            continue;
        const std::string key = "numa/" + std::to_string(told++) + '/';
        record.field(key + "id", node).field(key + "cpus", usable.text());
    }
}

CgroupLimits cgroupLimits(const std::string& procRoot, const std::string& sysRoot)
{
    const std::string base = sysRoot + "/fs/cgroup";
    const auto quota2 = [](const std::string& group) -> std::optional<double> {
        const std::string file = readWord(group + "/cpu.max"); // `200000 100000`, or `max 100000`
        std::string_view rest = file;
        const auto quota = leadingNumber(nextWord(rest));
        const auto period = leadingNumber(nextWord(rest));
        return quota && period && *period > 0 ? std::optional(*quota / *period) : std::nullopt;
    };
    const auto quota1 = [](const std::string& group) -> std::optional<double> {
        const auto quota = readNumber(group + "/cpu.cfs_quota_us");
        const auto period = readNumber(group + "/cpu.cfs_period_us");
        if (!quota || !period || *quota <= 0 || *period <= 0)
            return std::nullopt;
        return static_cast<double>(*quota) / static_cast<double>(*period);
    };
    const auto memory2 = [](const std::string& group) { return leadingNumber(readWord(group + "/memory.max")); };
    const auto memory1 = [](const std::string& group) {
        return leadingNumber(readWord(group + "/memory.limit_in_bytes"));
    };
    CgroupLimits limits;
    limits.cores = smallestAbove(base, cgroupOf(procRoot, ""), quota2);
    limits.memory = smallestAbove(base, cgroupOf(procRoot, ""), memory2);
    if (!limits.cores)
        limits.cores = smallestAbove(base + "/cpu", cgroupOf(procRoot, "cpu"), quota1);
    if (!limits.memory)
        limits.memory = smallestAbove(base + "/memory", cgroupOf(procRoot, "memory"), memory1);
    return limits;
}

} // namespace lockstep::agent
