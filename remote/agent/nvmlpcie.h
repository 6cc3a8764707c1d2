// SPDX-License-Identifier: GPL-3.0-or-later
// PCIe traffic from NVML's byte counters. nvmlDeviceGetPcieThroughput would block 20 ms a call and direction. Drivers
// have given the counters as 32-bit numbers: at 60 GB/s those wrap every 70 ms, so they are read twice within a window
// too short for that, one window for all devices. 64-bit counters are compared with the round before.
#pragma once

#include "remote/agent/gpureading.h"
#include "remote/agent/nvml.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace lockstep::agent {

struct PcieCounter {
    std::uint64_t bytes = 0;
    int type = 0; // nvml::ValueType
};

struct PcieCounters {
    std::optional<PcieCounter> rx;
    std::optional<PcieCounter> tx;
    std::int64_t timeUs = 0;
};

// Bytes/s between two readings of a counter; nullopt when they cannot be compared or give what no link can carry.
[[nodiscard]] std::optional<double> pcieRate(const std::optional<PcieCounter>& before,
                                             const std::optional<PcieCounter>& after, std::int64_t intervalUs);

struct PcieQuestion {
    nvml::Device device = nullptr;
    PcieCounters* before = nullptr; // of the round before; becomes this round's
    GpuReading* reading = nullptr;
};

void askPcie(const nvml::Functions& functions, const std::vector<PcieQuestion>& questions);

} // namespace lockstep::agent
