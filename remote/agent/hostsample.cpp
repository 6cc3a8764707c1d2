// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/hostsample.h"

#include "core/wire/encoder.h"
#include "core/wire/kinds.h"
#include "remote/agent/procfile.h"

#include <algorithm>
#include <cmath>
#include <sys/statvfs.h>
#include <unistd.h>

namespace lockstep::agent {

namespace {

// A shorter interval has too few clock ticks (100 a second) to mean anything.
constexpr std::int64_t kMinIntervalUs = 300'000;
// A node full of containers has hundreds; the busiest matter.
constexpr std::size_t kMaxInterfaces = 32;
constexpr std::size_t kFirstLineBytes = 512;

struct NetLine {
    std::string_view name;
    std::uint64_t rx = 0;
    std::uint64_t tx = 0;
};

// Inter-|   Receive ... two heading lines, then `  eth0: rx_bytes packets errs drop fifo frame compressed multicast
// tx_bytes ...`
std::vector<NetLine> parseNetDev(std::string_view text)
{
    constexpr int kRxBytes = 0;
    constexpr int kTxBytes = 8;
    std::vector<NetLine> lines;
    while (const auto line = nextLine(text)) {
        const std::size_t colon = line->rfind(':'); // an alias has one in its name
        if (colon == std::string_view::npos)
            continue;
        NetLine net{trimmed(line->substr(0, colon)), 0, 0};
        std::string_view rest = line->substr(colon + 1);
        for (int column = 0; column <= kTxBytes; ++column) {
            const auto value = leadingInteger(nextWord(rest));
            if (column == kRxBytes)
                net.rx = static_cast<std::uint64_t>(value.value_or(0));
            if (column == kTxBytes)
                net.tx = static_cast<std::uint64_t>(value.value_or(0));
        }
        if (net.name != "lo" && net.rx + net.tx > 0)
            lines.push_back(net);
    }
    if (lines.size() > kMaxInterfaces) {
        std::ranges::stable_sort(lines, [](const NetLine& a, const NetLine& b) { return a.rx + a.tx > b.rx + b.tx; });
        lines.resize(kMaxInterfaces);
    }
    return lines;
}

double tenths(double value)
{
    return std::round(value * 10) / 10;
}

} // namespace

HostSample::HostSample(HostSampleOptions options)
    : m_options(std::move(options)), m_stat(openForReading(m_options.proc + "/stat")),
      m_meminfo(openForReading(m_options.proc + "/meminfo")), m_loadavg(openForReading(m_options.proc + "/loadavg")),
      m_net(openForReading(m_options.proc + "/net/dev")), m_cores(static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)))
{
}

void HostSample::append(std::string& out, std::int64_t nowUs)
{
    appendCpu(out, nowUs);
    appendDisks(out, nowUs);
    appendNet(out, nowUs);
}

void HostSample::appendCpu(std::string& out, std::int64_t nowUs)
{
    wire::Encoder record(out);
    record.begin(wire::kind::kDevice, wire::kNode, nowUs).field("id", "cpu");
    if (const auto util = cpuUtil(nowUs))
        record.field("util", tenths(*util));
    if (m_loadavg.isOpen() && preadAll(m_loadavg.get(), m_buffer, kFirstLineBytes)) {
        if (const auto load = leadingNumber(m_buffer))
            record.field("load1", *load);
    }
    record.field("cores", m_cores);
    if (m_meminfo.isOpen() && preadAll(m_meminfo.get(), m_buffer)) {
        if (const auto memory = parseMemInfo(m_buffer))
            record.field("mem_used", memory->total - memory->available).field("mem_total", memory->total);
    }
    record.end();
}

std::optional<double> HostSample::cpuUtil(std::int64_t nowUs)
{
    constexpr int kIdle = 3;
    constexpr int kIoWait = 4;
    constexpr int kColumns = 8; // what follows, guest time, is counted in user time already
    if (!m_stat.isOpen() || !preadAll(m_stat.get(), m_buffer, kFirstLineBytes))
        return std::nullopt;
    std::string_view rest = m_buffer;
    if (nextWord(rest) != "cpu")
        return std::nullopt;
    CpuTicks now;
    for (int column = 0; column < kColumns; ++column) {
        const auto ticks =
            static_cast<std::uint64_t>(std::max<std::int64_t>(0, leadingInteger(nextWord(rest)).value_or(0)));
        now.all += ticks;
        if (column != kIdle && column != kIoWait)
            now.busy += ticks;
    }
    std::optional<double> util;
    if (m_ticks && nowUs - m_ticksUs < kMinIntervalUs)
        return util;
    // Idle and iowait ticks have been seen to go backwards; such an interval says nothing.
    if (m_ticks && now.all > m_ticks->all && now.busy >= m_ticks->busy) {
        const double busy = static_cast<double>(now.busy - m_ticks->busy);
        util = std::min(100.0, 100.0 * busy / static_cast<double>(now.all - m_ticks->all));
    }
    m_ticks = now;
    m_ticksUs = nowUs;
    return util;
}

void HostSample::appendDisks(std::string& out, std::int64_t nowUs) const
{
    for (const std::string& path : m_options.disks) {
        struct statvfs fs = {};
        if (::statvfs(path.c_str(), &fs) != 0)
            continue;
        wire::Encoder record(out);
        record.begin(wire::kind::kDevice, wire::kNode, nowUs).field("id", "disk:" + path);
        record.field("free", fs.f_bavail * fs.f_frsize).field("total", fs.f_blocks * fs.f_frsize).end();
    }
}

void HostSample::appendNet(std::string& out, std::int64_t nowUs)
{
    if (!m_net.isOpen() || !preadAll(m_net.get(), m_buffer))
        return;
    const double seconds = static_cast<double>(nowUs - m_netUs) / 1e6;
    if (m_netUs != 0 && nowUs - m_netUs < kMinIntervalUs)
        return;
    std::map<std::string, NetBytes, std::less<>> current;
    for (const NetLine& line : parseNetDev(m_buffer)) {
        const auto before = m_netBytes.find(line.name);
        current.emplace(line.name, NetBytes{line.rx, line.tx});
        // A counter that fell belongs to an interface that was made anew under the old name.
        if (before == m_netBytes.end() || line.rx < before->second.rx || line.tx < before->second.tx)
            continue;
        wire::Encoder record(out);
        record.begin(wire::kind::kDevice, wire::kNode, nowUs).field("id", "net:" + std::string(line.name));
        record.field("rx_bytes_per_s", std::llround(static_cast<double>(line.rx - before->second.rx) / seconds));
        record.field("tx_bytes_per_s", std::llround(static_cast<double>(line.tx - before->second.tx) / seconds));
        record.end();
    }
    m_netBytes = std::move(current);
    m_netUs = nowUs;
}

} // namespace lockstep::agent
