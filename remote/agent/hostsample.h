// SPDX-License-Identifier: GPL-3.0-or-later
// CPU, memory, disk and network of this machine as `device` records. Files are opened once and read again with pread:
// four small reads a second. Counters become rates between two calls; the first call has none, so their keys are
// missing then.
#pragma once

#include "remote/agent/fd.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::agent {

struct HostSampleOptions {
    std::string proc = "/proc";
    // File systems whose room matters. Only local ones: statvfs on a dead network file system does not return.
    std::vector<std::string> disks = {"/var/tmp"};
};

class HostSample {
public:
    explicit HostSample(HostSampleOptions options);

    void append(std::string& out, std::int64_t nowUs);

private:
    struct CpuTicks {
        std::uint64_t busy = 0;
        std::uint64_t all = 0;
    };
    struct NetBytes {
        std::uint64_t rx = 0;
        std::uint64_t tx = 0;
    };

    void appendCpu(std::string& out, std::int64_t nowUs);
    std::optional<double> cpuUtil(std::int64_t nowUs); // percent of all cores since the last call
    void appendDisks(std::string& out, std::int64_t nowUs) const;
    void appendNet(std::string& out, std::int64_t nowUs);

    HostSampleOptions m_options;
    Fd m_stat;
    Fd m_meminfo;
    Fd m_loadavg;
    Fd m_net;
    int m_cores = 0;
    std::optional<CpuTicks> m_ticks;
    std::map<std::string, NetBytes, std::less<>> m_netBytes;
    std::int64_t m_ticksUs = 0;
    std::int64_t m_netUs = 0;
    std::string m_buffer;
};

} // namespace lockstep::agent
